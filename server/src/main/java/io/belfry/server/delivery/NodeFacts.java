package io.belfry.server.delivery;

import io.belfry.server.session.Session;

/** The facts that a node reports about itself to clients. Immutable except for the name, which is set before the first session. */
public record NodeFacts(NodeIdentity identity, long epoch, int maxMessage) {
    /** Returns the name of the node. */
    public String node() {
        return identity.name();
    }

    /** Returns a name for logs and clients, unlike any other of this node, those of earlier starts included. */
    public String sessionName(int lane, Session session) {
        return identity.name() + "-" + identity.start() + "-" + lane + "-" + Integer.toHexString(session.slot()) + "-"
                + Integer.toHexString(session.generation());
    }
}
