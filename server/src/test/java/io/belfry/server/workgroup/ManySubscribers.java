package io.belfry.server.workgroup;

import java.util.ArrayList;
import java.util.List;

/** A lane with many subscribers, which records a message for some of them in each turn, and a publisher. */
abstract class ManySubscribers {
    static final int SESSIONS = 300;

    final Lanes lanes = new Lanes(1, 1, "CacheSize=1000");
    final LaneClient publisher = lanes.connect(0);
    final List<LaneClient> many = new ArrayList<>();
    private final String subject;

    /** The subject is that of {@link #publish}. */
    ManySubscribers(String subject) {
        this.subject = subject;
    }

    /** Subscribes many sessions to these common subjects or patterns, and to subjects of their own. */
    final void subscribeAll(String... common) {
        for (int i = 0; i < SESSIONS; i++) {
            LaneClient client = lanes.connect(0);
            client.subscribe(common);
            client.subscribe("/own/" + i);
            many.add(client);
        }
        lanes.settle();
        lanes.clock.passPerRead(100_000);
        lanes.lane(0).parts().fanOut.deferSooner(8, 4);
        lanes.lane(0).parts().fanOut.divideSooner(16, 8);
    }

    static List<String> messages(LaneClient client) {
        return client.received(event -> event.op().equals("message")).stream()
                .map(ReceivedEvent::data)
                .toList();
    }

    /** Returns the sessions without a message. */
    final List<LaneClient> waiting() {
        return many.stream().filter(client -> messages(client).isEmpty()).toList();
    }

    final void publish(String data) {
        publisher.publish(subject, data);
        lanes.runTurn(0);
    }
}
