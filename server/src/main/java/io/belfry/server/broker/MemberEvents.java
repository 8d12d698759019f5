package io.belfry.server.broker;

import io.belfry.server.subject.SubjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Receives the members that all nodes report, and the messages of presence subjects in the order of the log. Subjects are named by
 * their presence subjects, whose home is this lane. Called on the lane's loop.
 */
public interface MemberEvents {
    /** Called when a node has one session more of the user; {@code info} is JSON text. */
    void onEntered(byte[] subject, String user, @Nullable String info);

    /**
     * Called when a node has one session less of the user.
     *
     * @param silentMillis the time since the last report of a node that is regarded as dead; 0 if the node reported the end
     */
    void onLeft(byte[] subject, String user, long silentMillis);

    /** Called when this node publishes the members of all nodes until this time, unless the call is repeated with a later one. */
    void onLeading(long untilNanos);

    /** Called when this node leads and another one has started, which has not read the messages of the time before. */
    void onNodeStarted();

    /** Called for each message of a presence subject, before it is delivered. */
    void onMessage(SubjectKey subject, byte[] data);
}
