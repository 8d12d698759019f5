package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.client.BelfryClient;
import io.belfry.client.Encoding;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import io.belfry.client.Status;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests sessions that outlive their connection with the Java client, the real server and a network that is cut. */
final class ContinuedSessionTest {
    private static final int SUBJECTS = 20;

    /** Records the messages and gaps of one subject. */
    private static final class Recorded implements MessageListener {
        final List<String> texts = new CopyOnWriteArrayList<>();
        final List<Gap> gaps = new CopyOnWriteArrayList<>();

        @Override
        public void onMessage(Message message) {
            texts.add(message.text());
        }

        @Override
        public void onGap(Gap gap) {
            gaps.add(gap);
        }
    }

    private static double metric(Http monitor, String name) {
        return monitor.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.split(" ", -1)[1]))
                .sum();
    }

    @ParameterizedTest
    @EnumSource
    void aReturningClientMissesNothingAndSubscribesToNothing(Encoding encoding) {
        AtomicInteger connects = new AtomicInteger();
        try (TestServer server = TestServer.start(
                        "CacheSize=10000",
                        "Monitor=HTTP",
                        "MonitorHTTP.Listen=127.0.0.1:0",
                        "MonitorHTTP.Authentication=false");
                CuttingProxy network = new CuttingProxy(server.port());
                BelfryClient publisher = BelfryClient.builder()
                        .server("ws://127.0.0.1:" + server.port())
                        .build()
                        .start();
                BelfryClient client = BelfryClient.builder()
                        .server("ws://127.0.0.1:" + network.port())
                        .encoding(encoding)
                        .keepSession(true)
                        .listener(status -> connects.addAndGet(status instanceof Status.Connected ? 1 : 0))
                        .build()
                        .start();
                Http monitor = Http.to(server.monitorHttpPort())) {
            List<Recorded> recorded =
                    IntStream.range(0, SUBJECTS).mapToObj(i -> new Recorded()).toList();
            for (int i = 0; i < SUBJECTS; i++) {
                client.subscribe("/kept/" + i, recorded.get(i))
                        .ready()
                        .orTimeout(30, TimeUnit.SECONDS)
                        .join();
            }
            Random random = new Random(1);
            int count = 4000;
            for (int i = 0; i < count; i++) {
                publisher.publish("/kept/" + i % SUBJECTS, Integer.toString(i));
                if (i % 800 == 799) {
                    // A connection that is lost before the answer to its connect does not know the session it
                    // continued.
                    int cutsBefore = i / 800;
                    Await.until("the client has returned", () -> connects.get() > cutsBefore);
                    network.cut(sent -> true);
                }
                LockSupport.parkNanos(random.nextInt(300_000));
            }
            for (int i = 0; i < SUBJECTS; i++) {
                int subject = i;
                List<String> expected = IntStream.range(0, count)
                        .filter(n -> n % SUBJECTS == subject)
                        .mapToObj(Integer::toString)
                        .toList();
                Await.until("all messages", () -> recorded.get(subject).texts.size() >= expected.size());
                assertThat(recorded.get(subject).texts).isEqualTo(expected);
                assertThat(recorded.get(subject).gaps).isEmpty();
            }
            assertThat(connects).hasValueGreaterThan(2);
            Await.until(
                    "each return continues the session",
                    () -> metric(monitor, "belfry_sessions_resumed_total") == connects.get() - 1);
            assertThat(metric(monitor, "belfry_sessions_not_resumed_total")).isZero();
            // The lane of the lost connection ends its session after the return is counted.
            Await.until("no session is detached", () -> metric(monitor, "belfry_detached_sessions") == 0);
            Await.until(
                    "only the continued session subscribes", () -> metric(monitor, "belfry_subscriptions") == SUBJECTS);
        }
    }
}
