package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests many simultaneous subscribers. */
@Tag("complete")
final class SubscriberCrowdTest {
    private static final int SUBSCRIBERS = 2000;
    private static final int MESSAGES = 50;

    @Test
    void twoThousandSubscribersGetEachMessageOnceInOrder() {
        try (ServerProcess server = ServerProcess.startUnwatched("BenchmarkMode=true");
                SubscriberCrowd crowd = new SubscriberCrowd(server.port(), SUBSCRIBERS, "/crowd");
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            crowd.awaitSubscribed();
            for (int i = 0; i < MESSAGES; i++) {
                publisher.publish("/crowd", Integer.toString(i));
            }
            crowd.awaitMessages(MESSAGES);
            assertThat(crowd.faults()).isEmpty();
            assertThat(crowd.size()).isEqualTo(SUBSCRIBERS);
        }
    }

    @Test
    void aBurstReachesEverySubscriberOnceAndInOrder() {
        int burst = 3000;
        try (ServerProcess server = ServerProcess.startUnwatched("Limit.PublishRate=0", "CacheSize=10000");
                SubscriberCrowd crowd = new SubscriberCrowd(server.port(), 50, "/burst");
                TestClient publisher = TestClient.open(server, WireEncoding.BINARY)) {
            crowd.awaitSubscribed();
            Thread sending = Thread.ofVirtual().start(() -> {
                for (int i = 0; i < burst; i++) {
                    publisher.frames().raw().send(publisher.publicationFrame(i, "/burst", Integer.toString(i)));
                }
            });
            crowd.awaitMessages(burst);
            assertThat(crowd.faults()).isEmpty();
            sending.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
