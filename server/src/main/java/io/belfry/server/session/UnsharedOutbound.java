package io.belfry.server.session;

/** The outbound of sessions without a shared wire format ({@link Session#isShared}). Owner: the lane's loop. */
public interface UnsharedOutbound extends Outbound {
    /** Returns the encoder of the session's events. */
    Replies replies();
}
