package io.belfry.server.event;

import io.belfry.server.callback.SignedPosts;
import io.belfry.server.callback.WebhookSecrets;
import io.belfry.server.config.EventConfig;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Passes events to their receivers. Any thread; {@link #add} never waits for a receiver. */
public final class ApplicationEvents implements AutoCloseable {
    private static final long CLOSE_MILLIS = 2000;

    /** Answers have no content that counts. */
    private static final int ANSWER_BYTES = 64 << 10;

    private final @Nullable SignedPosts posts;
    private final List<EventDelivery> deliveries;

    private ApplicationEvents(EventConfig config, EventSource source, EventCounts counts, List<EventAddress> others)
            throws IOException {
        posts = config.endpoints().isEmpty()
                ? null
                : new SignedPosts(
                        new WebhookSecrets(config.signature().read()),
                        config.authorities(),
                        ANSWER_BYTES,
                        source.nowMillis());
        deliveries = Stream.concat(endpoints(config), others.stream())
                .map(address -> new EventDelivery(address, config, source, counts))
                .toList();
    }

    private Stream<EventAddress> endpoints(EventConfig config) {
        SignedPosts sending = posts;
        return sending == null
                ? Stream.empty()
                : config.endpoints().stream()
                        .map(each -> new EventAddress(
                                each.name(),
                                each.url().toString(),
                                each.types(),
                                new EndpointReceiver(each.url(), sending, config.answerMillis())));
    }

    /**
     * Starts the deliveries to the endpoints of the configuration, and to other receivers. Throws if the secrets or authorities
     * cannot be read.
     */
    public static ApplicationEvents start(
            EventConfig config, EventSource source, EventCounts counts, List<EventAddress> others) throws IOException {
        ApplicationEvents events = new ApplicationEvents(config, source, counts, others);
        events.deliveries.forEach(EventDelivery::start);
        return events;
    }

    /** Returns whether a receiver asks for events of this type. */
    public boolean isWanted(EventType type) {
        for (EventDelivery delivery : deliveries) {
            if (delivery.wants(type)) {
                return true;
            }
        }
        return false;
    }

    /** Adds an event to the queues of the receivers that ask for its type. */
    public void add(ApplicationEvent event) {
        for (EventDelivery delivery : deliveries) {
            delivery.add(event);
        }
    }

    /** Delivers the waiting events for a short time, then ends. */
    @Override
    public void close() {
        deliveries.forEach(EventDelivery::stop);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
        try {
            for (EventDelivery delivery : deliveries) {
                delivery.end(deadline);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        if (posts != null) {
            posts.close();
        }
    }
}
