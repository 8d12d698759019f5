package io.belfry.server.broker;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.server.history.History;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Assigns messages their place in the order. One per lane, for the subjects that hash to it; called on that lane's loop.
 *
 * <p>Guarantees of every implementation:
 * <ul>
 *   <li>The seq of a subject's messages grows in the order of the calls of {@link Events#onMessage}, and that order is the
 *       same on every node. On a single node it grows by one. Where it cannot, the message carries {@code prev}.
 *   <li>A publish is accepted only after its message is in the history, as the configuration defines that.
 *   <li>A repeated message id is accepted with the position of the first publish, and not delivered again.
 *   <li>Each publish is answered exactly once, accepted or refused, at once or later, on the lane's loop.
 *   <li>Positions of one epoch are comparable. A subject that was forgotten and reappears starts above
 *       every seq ever forgotten, so an old position never refers to a new message.
 * </ul>
 */
public interface Broker {
    /** Receives the events of a broker. */
    interface Events {
        /** Called when a message has its place in the order. The broker's view is valid during the call. */
        void onMessage(int subject, io.belfry.protocol.MessageView message, long receivedNanos);

        void onAccepted(Publication publication, long seq);

        void onRefused(int subject, Publication publication, Code code, String reason);

        /** Called when messages published on other nodes begin to arrive late, or arrive in time again. */
        default void onStale(boolean stale) {}

        /** Called when other nodes gain their first subscriber of the subject or lose their last one. */
        default void onFollowedElsewhere(SubjectKey subject, boolean now) {}

        /** Returns whether this node has subscribers of the subject. */
        default boolean isFollowed(SubjectKey subject) {
            return false;
        }

        /** Called when the reason to keep a subject may have ended, because a publish was rolled back. */
        void onTakenBack(int subject);

        /** Returns the receiver of the members that other nodes report too, or null if there is none. */
        default @Nullable MemberEvents members() {
            return null;
        }
    }

    long epoch();

    /** Called when the lane adds this subject. */
    void onCreated(int subject);

    /** Called when the lane removes this subject, which has no history left. */
    void onForgotten(int subject);

    void publish(int subject, SubjectKey name, Publication publication, long nowMillis);

    /** Called at the end of a loop turn, to process what was collected during the turn. */
    void endTurn(long nowMillis);

    /** Returns the bytes of publishes that are not accepted yet. */
    long waitingBytes();

    /** Returns the seq of the subject's latest message. */
    long seq(int subject);

    /** Returns the position reported to a new subscription; all messages of the subject up to it have been delivered to the lane. */
    default long head(int subject) {
        return seq(subject);
    }

    /**
     * Returns whether a client's position of the subject may be valid although it is above {@link #seq}: another node delivered
     * it, and the messages up to it are on their way to this loop.
     */
    default boolean isReached(int subject, long seq) {
        return seq <= seq(subject);
    }

    /** Runs the task after the messages that are already on their way to the loop. */
    default void behindMessages(Runnable task) {
        task.run();
    }

    /**
     * Returns the reason why recovery from this position cannot be complete, whatever the history contains: the position does
     * not belong to this broker's log. Returns null if the position is valid.
     *
     * @param reached whether the messages before the position have been delivered, if it is of this epoch
     */
    default @Nullable Code doubt(int subject, Position position, boolean reached) {
        return position.epoch() == epoch() && reached ? null : Code.EPOCH_CHANGED;
    }

    /** Returns whether other nodes publish messages too, so that a position above the current one may be reached soon. */
    default boolean isShared() {
        return false;
    }

    /** Called when publishers of this node start or stop watching the subject's subscribers. */
    default void onWatched(SubjectKey subject, boolean now) {}

    /** Called when this node gains its first subscriber of the subject or loses its last one. */
    default void onFollowed(SubjectKey subject, boolean now) {}

    /** Returns whether other nodes have reported subscribers of the subject. */
    default boolean isFollowedElsewhere(SubjectKey subject) {
        return false;
    }

    /** Returns the order of the shared logs; null if the order is that of {@link #history}. */
    default @Nullable LogOrder order() {
        return null;
    }

    /** Returns where members of subjects are reported to all nodes; null if there is only one node. */
    default @Nullable MemberReports memberReports() {
        return null;
    }

    History history();

    Retained retained();

    /** Frees the broker's resources after the loop's last turn. Returns whether every accepted message is stored. */
    boolean close();
}
