package io.belfry.server.session;

/**
 * The facts of a kept session in the answer to a connect. Immutable.
 *
 * @param id the id with which the client can continue the session
 * @param keepMillis how long the session is kept after its connection is lost
 * @param resumed whether it continues an earlier session
 */
public record ContinuedSession(String id, int keepMillis, boolean resumed) {}
