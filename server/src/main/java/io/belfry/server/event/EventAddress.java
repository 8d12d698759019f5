package io.belfry.server.event;

import java.util.Set;

/**
 * A receiver, and the events that it gets. Immutable.
 *
 * @param name name in log lines and in the name of the thread
 * @param where address for log lines
 * @param types types of its events; empty for all
 */
public record EventAddress(String name, String where, Set<String> types, EventReceiver receiver) {
    public EventAddress {
        types = Set.copyOf(types);
    }

    boolean wants(EventType type) {
        return type.isIn(types);
    }
}
