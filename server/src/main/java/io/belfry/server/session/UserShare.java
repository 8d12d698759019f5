package io.belfry.server.session;

/** A rate that all sessions of a user share, on all lanes. Owner: the lane's loop. */
public interface UserShare {
    /** Takes one token of a rate per second; returns 0, or the milliseconds until one may be available. */
    long take(String user, int perSecond, long nowNanos);
}
