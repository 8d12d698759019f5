package io.belfry.server.event;

import io.belfry.server.event.EventQueue.Item;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Some events in their order, for one receiver. Owner: the thread of the delivery. */
public final class EventBatch {
    private final String id;
    private final String sender;
    private final String node;
    private final long run;
    private final long nowMillis;
    private final int messageBytesMax;
    private final List<Item> items;
    private byte @Nullable [] body;
    private @Nullable List<EventMessage> messages;

    /**
     * Creates a batch.
     *
     * @param id name of the batch, the same when it is repeated
     * @param sender name of this delivery among all nodes and runs, at most 40 characters
     * @param node name of the source's node
     */
    EventBatch(String id, String sender, EventSource source, String node, List<Item> items) {
        this.id = id;
        this.sender = sender;
        this.node = node;
        run = source.run();
        nowMillis = source.nowMillis().getAsLong();
        messageBytesMax = source.messageBytesMax();
        this.items = List.copyOf(items);
    }

    String id() {
        return id;
    }

    /** Returns the body of a request with all events. */
    byte[] body() {
        byte[] present = body;
        if (present == null) {
            present = EventText.body(node, run, nowMillis, items);
            body = present;
        }
        return present;
    }

    /** Returns each event as a message, in their order. */
    public List<EventMessage> messages() {
        List<EventMessage> present = messages;
        if (present == null) {
            present = items.stream().map(this::message).toList();
            messages = present;
        }
        return present;
    }

    private EventMessage message(Item item) {
        return new EventMessage(
                sender + "-" + item.seq(), keyOf(item), EventText.message(node, run, item, messageBytesMax));
    }

    private String keyOf(Item item) {
        if (!(item instanceof Item.Happened happened)) {
            return node;
        }
        ApplicationEvent event = happened.event();
        if (event.message() != null && event.subject() != null) {
            // The order of a subject's messages counts, whoever publishes them.
            return event.subject();
        }
        if (event.user() != null) {
            return event.user();
        }
        return event.session().isEmpty() ? Objects.requireNonNullElse(event.subject(), node) : event.session();
    }

    /** Returns the number of its events, without losses. */
    int events() {
        return (int) items.stream().filter(Item.Happened.class::isInstance).count();
    }
}
