package io.belfry.server.cluster;

import java.nio.ByteBuffer;

/** Receives what lanes report about their subjects for the other nodes. Any thread. */
interface PresenceReports {
    /** Called when publishers of this node start or stop watching the subject. */
    void watched(ByteBuffer subject, boolean now);

    /** Called when this node gains or loses its subscribers of a subject that is watched elsewhere. */
    void followed(ByteBuffer subject, boolean now);
}
