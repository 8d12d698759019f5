package io.belfry.server.edge;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The part of the clients' names whose hash selects this lane, each with its session. Owner: the lane's loop. */
final class NameDirectory {
    private final Map<String, Holder> holders = new HashMap<>();

    /** The session that has a name: its lane and its reference there, which no other session ever has. Immutable. */
    record Holder(int lane, long session) {}

    int size() {
        return holders.size();
    }

    boolean has(String name) {
        return holders.containsKey(name);
    }

    /** Gives a name to a session; returns the session that had it, or null. */
    @Nullable
    Holder claim(String name, Holder newcomer) {
        return holders.put(name, newcomer);
    }

    /** Removes a name if this session still has it. */
    void release(String name, Holder holder) {
        holders.remove(name, holder);
    }
}
