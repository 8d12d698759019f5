package io.belfry.protocol;

/**
 * The facts of a session that the server sends after a connect. Immutable.
 *
 * @param session the session's name; the name of a kept session is a secret of its client, which continues the session with it
 * @param node name of the server's node
 * @param pingMillis the session's ping interval
 * @param maxMessage maximum size of a message in bytes
 * @param keepMillis how long the session is kept after its connection is lost; 0 if it is not kept
 * @param resumed whether the requested session continues, with its subscriptions
 */
public record ConnectedEvent(
        String session, String node, long pingMillis, int maxMessage, long keepMillis, boolean resumed) {
    /** Creates the event of a session that ends with its connection. */
    public ConnectedEvent(String session, String node, long pingMillis, int maxMessage) {
        this(session, node, pingMillis, maxMessage, 0, false);
    }
}
