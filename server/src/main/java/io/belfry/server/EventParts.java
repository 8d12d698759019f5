package io.belfry.server;

import io.belfry.server.cluster.Cluster;
import io.belfry.server.config.EventConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.event.ApplicationEvents;
import io.belfry.server.event.EventAddress;
import io.belfry.server.event.EventSource;
import io.belfry.server.turn.Clock;
import io.belfry.server.workgroup.EventSubject;
import io.belfry.server.workgroup.Lane;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Creates the receivers of events. Pure. */
final class EventParts {
    private EventParts() {}

    /** Starts the deliveries of a node; {@code lane} publishes and counts, once there are lanes. */
    static ApplicationEvents start(
            ServerConfig whole, NodeIdentity node, CompletableFuture<Lane> lane, @Nullable Cluster cluster)
            throws IOException {
        EventConfig config = whole.events().orElseThrow();
        List<EventAddress> others = new ArrayList<>();
        config.subject()
                .ifPresent(types -> others.add(new EventAddress(
                        "subject", EventSubject.NAME, types, new EventSubject(lane, config.answerMillis()))));
        if (config.topic().isPresent() && cluster != null) {
            EventConfig.Topic topic = config.topic().get();
            others.add(new EventAddress("topic", topic.name(), topic.types(), cluster.eventTopic(topic.name())));
        }
        EventSource source = new EventSource(
                node::name,
                Clock.SYSTEM.millis(),
                Clock.SYSTEM::millis,
                whole.messages().maxMessageSize());
        try {
            return ApplicationEvents.start(config, source, new CountedEvents(lane), others);
        } catch (IOException | RuntimeException failure) {
            others.forEach(each -> each.receiver().close());
            throw failure;
        }
    }
}
