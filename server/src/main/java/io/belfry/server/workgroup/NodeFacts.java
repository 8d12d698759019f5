package io.belfry.server.workgroup;

import io.belfry.server.session.Session;

/** What a node tells of itself. Immutable. */
public record NodeFacts(String node, long epoch, long pingMillis, int maxMessage) {
    /** A name for logs and clients, unlike any other of this node's life. */
    String sessionName(int lane, Session session) {
        return node + "-" + lane + "-" + Integer.toHexString(session.slot()) + "-"
                + Integer.toHexString(session.generation());
    }
}
