package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

class SlowReceiverTest {
    private static void send(SlowReceiver to, String... events) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(to.url()))
                    .POST(BodyPublishers.ofString("{\"events\":[" + String.join(",", events) + "]}"))
                    .build();
            assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(204);
        }
    }

    private static String event(int seq, String subject) {
        return "{\"seq\":" + seq + ",\"type\":\"message\",\"subject\":\"" + subject + "\"}";
    }

    @Test
    void aLossIsAHoleUnlessItIsAnnounced() throws IOException, InterruptedException {
        try (SlowReceiver receiver = SlowReceiver.open()) {
            receiver.begin("/watched");
            receiver.await("/last");
            send(receiver, event(1, "/a"), event(2, "/watched"));
            send(receiver, event(1, "/a"), event(2, "/watched"), event(3, "/a"));
            send(receiver, "{\"seq\":4,\"type\":\"missed\",\"count\":5,\"toSeq\":8}", event(9, "/a"));
            assertThat(receiver.arrived()).isEqualTo(new SlowReceiver.Arrived(4, 5, 0, 1));
            assertThat(receiver.hasArrived()).isFalse();
            receiver.recover();
            send(receiver, event(12, "/last"));
            assertThat(receiver.arrived()).isEqualTo(new SlowReceiver.Arrived(5, 5, 2, 1));
            assertThat(receiver.hasArrived()).isTrue();
        }
    }
}
