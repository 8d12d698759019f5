package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.client.BelfryClient;
import io.belfry.client.Encoding;
import io.belfry.client.Message;
import io.belfry.client.PublishException;
import io.belfry.client.PublishOptions;
import io.belfry.client.RequestOptions;
import io.belfry.client.Requests;
import io.belfry.client.Transport;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.protocol.ReplyInboxes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the requests and replies of the Java client. */
final class JavaRequestsTest {
    private static final String KEY = "AbCdEfGhIjKlMnOpQrStUvWxYz012345";

    @ParameterizedTest
    @EnumSource(Encoding.class)
    void theJavaClientMatchesRepliesToRequests(Encoding encoding) {
        try (TestServer server = TestServer.start();
                BelfryClient asking = client(server, builder -> builder.encoding(encoding));
                BelfryClient answering = client(server, builder -> builder.transport(Transport.HTTP_STREAM))) {
            Requests replies = new Requests(answering);
            answering
                    .subscribe("/service/*", message -> replies.reply(message, "re: " + message.text()))
                    .ready()
                    .orTimeout(30, TimeUnit.SECONDS)
                    .join();
            Requests requests = new Requests(asking);
            CompletableFuture<Message> one = requests.request("/service/a", "1");
            CompletableFuture<Message> two = requests.request("/service/b", "2");
            assertThat(two.orTimeout(30, TimeUnit.SECONDS).join().text()).isEqualTo("re: 2");
            assertThat(one.orTimeout(30, TimeUnit.SECONDS).join().text()).isEqualTo("re: 1");
            RequestOptions brief = RequestOptions.timeout(Duration.ofMillis(100));
            assertThatThrownBy(() -> requests.request("/nobody", new byte[0], brief)
                            .orTimeout(30, TimeUnit.SECONDS)
                            .join())
                    .cause()
                    .isInstanceOfSatisfying(
                            PublishException.class,
                            why -> assertThat(why.code()).isEqualTo("no-reply"));
        }
    }

    @Test
    void closingTheJavaClientEndsItsRequests() {
        CompletableFuture<Message> open;
        try (TestServer server = TestServer.start();
                BelfryClient client = client(server, builder -> builder)) {
            open = new Requests(client).request("/nobody", "x");
        }
        assertThat(open).isCompletedExceptionally();
    }

    @Test
    void theJavaClientRepliesToInboxesOnly() {
        try (TestServer server = TestServer.start();
                BelfryClient client = client(server, builder -> builder)) {
            Requests requests = new Requests(client);
            for (Map<String, String> headers : List.of(
                    Map.<String, String>of(),
                    Map.of("replyTo", "/admin"),
                    Map.of("replyTo", ReplyInboxes.of(KEY) + "/" + KEY))) {
                Message request =
                        new Message("/a", new byte[0], new Position(7, 1), 0, MessageType.LIVE, false, headers);
                assertThatThrownBy(() -> requests.reply(request, new byte[0], PublishOptions.DEFAULT))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    private static BelfryClient client(TestServer server, UnaryOperator<BelfryClient.Builder> options) {
        return options.apply(BelfryClient.builder().server("ws://127.0.0.1:" + server.port()))
                .build()
                .start();
    }
}
