package io.belfry.server.presence;

import io.belfry.server.subject.SubjectKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The members that followers have in a cluster, by presence subject: the messages of these subjects applied in the order of the
 * log. So the state that a new follower gets on any node is that of its position, whichever node published it. Owner: the lane
 * that is the home of the presence subjects.
 */
final class ShownRooms {
    private final Map<ByteBuffer, ShownRoom> rooms = new HashMap<>();

    /** Applies the next message of a presence subject. Throws if it is not one of those that nodes publish. */
    void apply(ByteBuffer subject, byte[] data) throws IOException {
        ShownRoom room = rooms.computeIfAbsent(subject, added -> new ShownRoom());
        room.apply(data);
        if (room.isEmpty()) {
            rooms.remove(subject);
        }
    }

    /** Returns the message that a new follower gets, or null if no members are known. */
    byte @Nullable [] state(SubjectKey subject) {
        ShownRoom room = rooms.get(ByteBuffer.wrap(subject.bytes(), 0, subject.length()));
        return room == null ? null : room.state();
    }

    /** Returns the presence subjects with members that followers have, or may have. */
    Set<ByteBuffer> subjects() {
        return rooms.keySet();
    }

    /** Returns what followers of the presence subject have, or null if they have no members. */
    @Nullable
    ShownRoom find(ByteBuffer subject) {
        return rooms.get(subject);
    }
}
