package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.client.BelfryClient;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import io.belfry.client.PublishException;
import io.belfry.client.ServerAddress;
import io.belfry.client.Status;
import io.belfry.client.SubscribeOptions;
import io.belfry.client.Subscription;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the Java client against the real server over every transport and with faults of network and server. */
final class JavaClientTest {
    private static TestServer server;

    private final List<BelfryClient> clients = new ArrayList<>();
    private final List<Status> statuses = new CopyOnWriteArrayList<>();
    private final String subject = "/java/" + System.nanoTime();

    /** Records the events of one subscription. */
    private static final class RecordedEvents implements MessageListener {
        final List<Message> messages = new CopyOnWriteArrayList<>();
        final List<Gap> gaps = new CopyOnWriteArrayList<>();

        @Override
        public void onMessage(Message message) {
            messages.add(message);
        }

        @Override
        public void onGap(Gap gap) {
            gaps.add(gap);
        }

        List<String> texts() {
            return messages.stream().map(Message::text).toList();
        }
    }

    @BeforeAll
    static void startServer() {
        server = TestServer.start("CacheSize=10000");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void closeClients() {
        clients.forEach(BelfryClient::close);
    }

    private BelfryClient started(BelfryClient.Builder builder) {
        BelfryClient client = builder.listener(statuses::add).build().start();
        clients.add(client);
        return client;
    }

    private static <T> T done(CompletableFuture<T> future) {
        return future.orTimeout(30, TimeUnit.SECONDS).join();
    }

    private static List<String> numbers(int count) {
        return IntStream.range(0, count).mapToObj(Integer::toString).toList();
    }

    private <T extends Status> List<T> statusesOf(Class<T> kind) {
        return statuses.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    @ParameterizedTest
    @EnumSource
    void messagesAreDeliveredWithTheirPositions(JavaClientTransport transport) {
        BelfryClient client = started(transport.to(server.port()));
        RecordedEvents recorded = new RecordedEvents();
        done(client.subscribe(subject, recorded).ready());
        Position first = done(client.publish(subject, "0"));
        Position second = done(client.publish(subject, new byte[] {(byte) 0xff, 0}));
        Await.until("two messages", () -> recorded.messages.size() == 2);
        assertThat(recorded.messages.get(0).position()).isEqualTo(first);
        assertThat(recorded.messages.get(1).position()).isEqualTo(second);
        assertThat(recorded.messages.get(1).data()).containsExactly(0xff, 0);
        assertThat(statusesOf(Status.Connected.class)).isNotEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void historyAndPositionsAreRespected(JavaClientTransport transport) {
        BelfryClient client = started(transport.to(server.port()));
        List<CompletableFuture<Position>> published =
                numbers(5).stream().map(text -> client.publish(subject, text)).toList();
        Position third = done(published.get(2));
        done(published.get(4));
        RecordedEvents recorded = new RecordedEvents();
        Subscription subscription = client.subscribe(subject, recorded, SubscribeOptions.history(3));
        Await.until("three messages", () -> recorded.messages.size() == 3);
        assertThat(recorded.texts()).containsExactly("2", "3", "4");
        assertThat(recorded.messages).allMatch(message -> message.type() == MessageType.HISTORY);
        subscription.unsubscribe();
        RecordedEvents later = new RecordedEvents();
        done(client.subscribe(subject, later, SubscribeOptions.from(third)).ready());
        Await.until("two messages", () -> later.messages.size() == 2);
        assertThat(later.texts()).containsExactly("3", "4");
    }

    @Tag("complete")
    @ParameterizedTest
    @EnumSource
    void anExpiringTokenIsRenewedWithoutLoss(JavaClientTransport transport) {
        AtomicInteger tokens = new AtomicInteger();
        try (TestServer strict = TestServer.start("Entitlement=JWT", "Jwt.Secret=" + Jwts.SECRET)) {
            BelfryClient client = started(transport.to(strict.port()).token(() -> {
                // From the third token on /gone is not permitted.
                String may = tokens.incrementAndGet() < 3 ? "{\"all\":[\"/**\"]}" : "{\"all\":[\"/java/*\"]}";
                return Jwts.hs256(Jwts.claims(3, may));
            }));
            RecordedEvents recorded = new RecordedEvents();
            done(client.subscribe(subject, recorded).ready());
            done(client.subscribe("/gone", new RecordedEvents()).ready());
            int sent = 0;
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(8);
            while (System.nanoTime() < end) {
                done(client.publish(subject, Integer.toString(sent++)));
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
            int all = sent;
            Await.until("all messages", () -> recorded.messages.size() == all);
            assertThat(recorded.texts()).isEqualTo(numbers(all));
            assertThat(recorded.gaps).isEmpty();
            assertThat(tokens.get()).isBetween(4, 9);
            assertThat(statusesOf(Status.TokenToExpire.class)).isNotEmpty();
            assertThat(statusesOf(Status.Disconnected.class)).isEmpty();
            assertThat(statusesOf(Status.SubscribeRefused.class))
                    .extracting(Status.SubscribeRefused::subject, Status.SubscribeRefused::code)
                    .containsExactly(tuple("/gone", "subscribe-denied"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void randomCutsCauseNoLossDuplicateOrDisorder(JavaClientTransport transport) {
        int count = 3000;
        try (CuttingProxy toSubscriber = new CuttingProxy(server.port());
                CuttingProxy toPublisher = new CuttingProxy(server.port())) {
            BelfryClient subscriber = started(transport.to(toSubscriber.port()));
            RecordedEvents recorded = new RecordedEvents();
            done(subscriber.subscribe(subject, recorded).ready());
            BelfryClient publisher = started(transport.to(toPublisher.port()));
            Random random = new Random(transport.ordinal());
            List<CompletableFuture<Position>> acknowledged = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                acknowledged.add(publisher.publish(subject, Integer.toString(i)));
                if (random.nextInt(400) == 0) {
                    (random.nextBoolean() ? toSubscriber : toPublisher).cut(said -> true);
                }
                LockSupport.parkNanos(random.nextInt(300_000));
            }
            acknowledged.forEach(JavaClientTest::done);
            Await.until("all messages", () -> recorded.messages.size() >= count);
            assertThat(recorded.texts()).isEqualTo(numbers(count));
            assertThat(recorded.gaps).isEmpty();
            assertThat(statusesOf(Status.Disconnected.class)).isNotEmpty();
        }
    }

    private List<Gap> gapsOfAPatternAfterACut(JavaClientTransport transport) {
        try (CuttingProxy proxy = new CuttingProxy(server.port())) {
            BelfryClient subscriber = started(transport.to(proxy.port()));
            BelfryClient publisher = started(JavaClientTransport.BINARY.to(server.port()));
            RecordedEvents recorded = new RecordedEvents();
            done(subscriber.subscribe(subject + "/**", recorded).ready());
            done(publisher.publish(subject + "/a", "0"));
            Await.until("the first message", () -> recorded.messages.size() == 1);
            proxy.cut(said -> true);
            done(publisher.publish(subject + "/a", "1"));
            done(publisher.publish(subject + "/new", "2"));
            Await.until("the missed messages", () -> recorded.messages.size() == 3);
            done(publisher.publish(subject + "/a", "3"));
            Await.until("the live message", () -> recorded.messages.size() == 4);
            assertThat(recorded.texts()).containsExactlyInAnyOrderElementsOf(numbers(4));
            return List.copyOf(recorded.gaps);
        }
    }

    @Test
    void aPatternReceivesMessagesOfNewSubjectsAfterACut() {
        assertThat(gapsOfAPatternAfterACut(JavaClientTransport.BINARY)).isEmpty();
    }

    @Test
    void aPatternOverHttpReceivesMessagesOfNewSubjectsAfterACut() {
        assertThat(gapsOfAPatternAfterACut(JavaClientTransport.LINES)).isEmpty();
    }

    @Tag("complete")
    @Test
    void compressedMessagesAreExchangedWithinTheLimits() {
        try (ServerProcess compressing = ServerProcess.startWatched(
                        "Compression=on",
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false");
                Http monitor = Http.to(compressing.monitorHttpPort())) {
            for (JavaClientTransport transport : List.of(JavaClientTransport.BINARY, JavaClientTransport.JSON)) {
                BelfryClient client = started(transport.to(compressing.port()).compression(true));
                RecordedEvents recorded = new RecordedEvents();
                done(client.subscribe(subject + transport, recorded).ready());
                List<String> sent =
                        List.of("short", "of few letters ".repeat(200), "0".repeat(60_000), "text ".repeat(12_000));
                sent.forEach(text -> done(client.publish(subject + transport, text)));
                Await.until("all messages", () -> recorded.messages.size() == sent.size());
                assertThat(recorded.texts()).isEqualTo(sent);
            }
            Await.until(
                    "the counters are updated",
                    () -> monitor.get("/stats")
                                    .json()
                                    .at("/counters/messagesCompressed")
                                    .asInt()
                            == 6);
            JsonNode counters = monitor.get("/stats").json().path("counters");
            assertThat(counters.path("bytesOut").asLong()).isLessThan(100_000);
            assertThat(counters.path("bytesIn").asLong())
                    .as("received bytes, including one uncompressed message with a high ratio")
                    .isLessThan(300_000);
            clients.forEach(BelfryClient::close);
        }
    }

    @Test
    void aServerWithoutCompressionGetsPlainMessages() {
        BelfryClient client =
                started(JavaClientTransport.BINARY.to(server.port()).compression(true));
        RecordedEvents recorded = new RecordedEvents();
        done(client.subscribe(subject, recorded).ready());
        done(client.publish(subject, "x".repeat(1000)));
        Await.until("the message", () -> recorded.messages.size() == 1);
    }

    @Tag("complete")
    @Test
    void recoveryOfTooManySubjectsOfAPatternIsAbandoned() {
        int count = 1500;
        try (TestServer wide = TestServer.start(
                        "Limit.SubjectsPerSession=3000",
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false");
                CuttingProxy proxy = new CuttingProxy(wide.port());
                Http monitor = Http.to(wide.monitorHttpPort())) {
            BelfryClient subscriber =
                    started(JavaClientTransport.JSON.to(proxy.port()).recoveredSubjects(count));
            BelfryClient publisher = started(JavaClientTransport.BINARY.to(wide.port()));
            RecordedEvents recorded = new RecordedEvents();
            // A conflated pattern has no position, so it is recovered subject by subject.
            done(subscriber
                    .subscribe(subject + "/*", recorded, SubscribeOptions.conflate(Duration.ofMillis(1)))
                    .ready());
            for (int i = 0; i < count; i++) {
                publisher.publish(subject + "/" + i, "x");
            }
            Await.until("all messages", () -> recorded.messages.size() == count);
            proxy.cut(said -> true);
            Await.until("the pattern is confirmed again", () -> !recorded.gaps.isEmpty());
            Await.until(
                    "subscriptions to single subjects are given up",
                    () -> monitor.get("/stats")
                                    .json()
                                    .at("/counters/subscriptions")
                                    .asInt()
                            == 1);
            assertThat(statusesOf(Status.CommandFailed.class)).isEmpty();
            clients.forEach(BelfryClient::close);
        }
    }

    @Test
    void aRestartedServerIsAGapBetweenEpochs() {
        ServerProcess first = ServerProcess.startWatched();
        int port = first.port();
        BelfryClient client = started(JavaClientTransport.BINARY.to(port));
        RecordedEvents recorded = new RecordedEvents();
        done(client.subscribe(subject, recorded).ready());
        Position before = done(client.publish(subject, "before"));
        Await.until("the first message", () -> recorded.messages.size() == 1);
        first.kill();
        first.close();
        try (TestServer second = TestServer.start("Listen=127.0.0.1:" + port)) {
            assertThat(second.port()).isEqualTo(port);
            Await.until("a gap is received", () -> !recorded.gaps.isEmpty());
            Position after = done(client.publish(subject, "after"));
            Await.until("the second message", () -> recorded.messages.size() == 2);
            assertThat(recorded.gaps).hasSize(1);
            assertThat(recorded.gaps.getFirst().from()).isEqualTo(before);
            assertThat(recorded.gaps.getFirst().reason()).isEqualTo("epoch-changed");
            assertThat(after.epoch()).isGreaterThan(before.epoch());
            client.close();
        }
    }

    @Tag("complete")
    @Test
    void theClientFailsOverToAnotherServer() {
        try (ServerProcess one = ServerProcess.startWatched();
                ServerProcess two = ServerProcess.startWatched()) {
            BelfryClient client = started(JavaClientTransport.BINARY.to(one.port(), two.port()));
            done(client.subscribe(subject, new RecordedEvents()).ready());
            ServerAddress served = statusesOf(Status.Connected.class).getFirst().server();
            (served.port() == one.port() ? one : two).kill();
            Await.until(
                    "a connection to the other server",
                    () -> statusesOf(Status.Connected.class).size() == 2);
            assertThat(statusesOf(Status.Connected.class).get(1).server()).isNotEqualTo(served);
            done(client.publish(subject, "on the other"));
            client.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRefusedTokenIsReportedOnceAndNotRetried(JavaClientTransport transport) {
        try (TestServer guarded = TestServer.start("EntitlementAllowToken=right-token")) {
            BelfryClient client = started(transport.to(guarded.port()).token("wrong-token"));
            CompletableFuture<Position> published = client.publish(subject, "no");
            Await.until("the refusal", () -> !statusesOf(Status.Refused.class).isEmpty());
            assertThat(published)
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(PublishException.class);
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            assertThat(statusesOf(Status.Connecting.class)).hasSize(1);
            assertThat(statusesOf(Status.Refused.class)).hasSize(1);
            assertThat(statusesOf(Status.Refused.class).getFirst().code()).isEqualTo("unauthorized");
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(names = {"LINES", "SSE"})
    void anIdleClientOverHttpStaysConnected(JavaClientTransport transport) {
        try (TestServer impatient = TestServer.start("Limit.HandshakeTime=1 s")) {
            BelfryClient client = started(transport.to(impatient.port()));
            Await.until(
                    "a connection", () -> !statusesOf(Status.Connected.class).isEmpty());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1500));
            done(client.publish(subject, "after a pause"));
            assertThat(statusesOf(Status.Disconnected.class)).isEmpty();
        }
    }

    @Test
    void throttledSubscriptionsAreRetriedAndPublishesNameADelay() {
        try (TestServer strict = TestServer.start("Limit.CommandRate=10", "Limit.PublishRate=1")) {
            BelfryClient client = started(BelfryClient.builder().server("ws://127.0.0.1:" + strict.port()));
            List<Subscription> many = IntStream.range(0, 25)
                    .mapToObj(i -> client.subscribe(subject + "/" + i, message -> {}))
                    .toList();
            many.forEach(each -> done(each.ready()));
            // All publishes arrive in one read of the server, so that a slow machine does not stretch them over
            // seconds.
            List<CompletableFuture<Position>> burst = IntStream.range(0, 50)
                    .mapToObj(i -> client.publish(subject, "message"))
                    .toList();
            assertThat(burst.getLast())
                    .failsWithin(Duration.ofSeconds(30))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOfSatisfying(PublishException.class, refused -> {
                        assertThat(refused.code()).isEqualTo("publish-rate");
                        assertThat(refused.retryAfter()).isBetween(Duration.ofMillis(1), Duration.ofMillis(1000));
                    });
        }
    }
}
