package io.belfry.server.cluster;

import io.belfry.server.subject.SubjectKey;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The lanes of this node, and which of them is the home of a subject. Owner: one thread.
 *
 * @param key hashes subjects like the lanes; not shared with another thread
 */
record HomeLanes(List<KafkaBroker> all, SubjectKey key) {
    HomeLanes {
        all = List.copyOf(all);
    }

    KafkaBroker homeOf(ByteBuffer subject) {
        return all.get(key.set(Presence.bytes(subject)).home(all.size()));
    }
}
