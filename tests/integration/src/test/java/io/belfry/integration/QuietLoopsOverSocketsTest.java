package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ListenConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests a server whose event loops one thread runs while they have little to do, with clients on each loop. */
final class QuietLoopsOverSocketsTest {
    private static final int CLIENTS = 6;
    private static final int FEW = 20;
    private static final int BURST = 2_000;
    private static final String[] SETTINGS = {
        "IoThreads=3",
        "Workgroups=3",
        "BenchmarkMode=true",
        "Monitor=HTTP",
        "MonitorHTTP.Listen=127.0.0.1:0",
        "MonitorHTTP.Authentication=false"
    };

    private final List<TestClient> subscribers = new ArrayList<>();
    private int published;

    @Test
    void messagesArriveOverJoinedAndOverDividedLoops() {
        SocketKindsTest.assumeItIsHere(ListenConfig.NativeIo.EPOLL);
        try (TestServer server = TestServer.start(SETTINGS);
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            for (int i = 0; i < CLIENTS; i++) {
                TestClient subscriber = TestClient.open(server, WireEncoding.JSON);
                subscribers.add(subscriber);
                subscriber.subscribe("/quiet");
            }
            Await.until("the loops are joined", () -> changes(server, "loopsJoined") >= 1);
            exchange(publisher, FEW);

            Await.until("the loops are divided", () -> {
                exchange(publisher, BURST);
                return changes(server, "loopsDivided") >= 1;
            });
            exchange(publisher, FEW);

            Await.until("the loops are joined again", () -> changes(server, "loopsJoined") >= 2);
            exchange(publisher, FEW);
        } finally {
            subscribers.forEach(TestClient::close);
        }
    }

    private static long changes(TestServer server, String counter) {
        return server.stats().path("counters").path(counter).asLong();
    }

    /** Publishes numbered messages, and checks that all subscribers receive exactly these. */
    private void exchange(TestClient publisher, int count) {
        List<String> data = IntStream.range(published, published + count)
                .mapToObj(i -> "m" + i)
                .toList();
        published += count;
        data.forEach(each -> publisher.send("/quiet", each));
        for (TestClient subscriber : subscribers) {
            assertThat(subscriber.data(count)).isEqualTo(data);
        }
        for (int i = 0; i < count; i++) {
            assertThat(publisher.next()).isInstanceOf(Event.Published.class);
        }
    }
}
