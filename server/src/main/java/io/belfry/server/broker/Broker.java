package io.belfry.server.broker;

import io.belfry.protocol.Code;
import io.belfry.protocol.Position;
import io.belfry.server.history.History;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Gives messages their place in the order. One per lane, for the subjects that hash to it; called on that lane's loop.
 *
 * <p>What every implementation promises:
 * <ul>
 *   <li>Messages of a subject get a seq that grows, by one on a single node, in the order in which {@link Events#onMessage} tells of them,
 *       and every node tells of them in that order. Where the seq cannot grow by one the message carries {@code prev}.
 *   <li>A publish is accepted once its message is in the history, as the configuration defines that, and not before.
 *   <li>A repeated message id is accepted again with the position it got the first time and is not told of again.
 *   <li>Each publish is answered exactly once, accepted or refused, then or later, on the lane's loop.
 *   <li>While the epoch stays the same, positions stay comparable. A subject that was forgotten and comes back starts above
 *       every seq ever forgotten, so an old position never points at a new message.
 * </ul>
 */
public interface Broker {
    /** What a broker tells the lane. */
    interface Events {
        /** A message took its place. The broker's view is valid during the call. */
        void onMessage(int subject, io.belfry.protocol.MessageView message, long receivedNanos);

        void onAccepted(Publication publication, long seq);

        void onRefused(int subject, Publication publication, Code code, String reason);

        /** What other nodes publish comes late here for now, or does no more. */
        default void onStale(boolean stale) {}

        /** Other nodes have subscribers of the subject now, or have none any more. */
        default void onFollowedElsewhere(SubjectKey subject, boolean now) {}

        /** Whether this node has subscribers of the subject. */
        default boolean isFollowed(SubjectKey subject) {
            return false;
        }

        /** What kept this subject known may be gone. */
        void onTakenBack(int subject);
    }

    long epoch();

    /** The lane begins to know this subject. */
    void onCreated(int subject);

    /** The lane forgets this subject, which has no history any more. */
    void onForgotten(int subject);

    void publish(int subject, SubjectKey name, Publication publication, long nowMillis);

    /** The loop ends a turn: what gathered in it can be worked on. */
    void endTurn(long nowMillis);

    /** Bytes published and not accepted yet. */
    long waitingBytes();

    /** The seq of the subject's latest message. */
    long seq(int subject);

    /** The position that a new subscription is told: of the subject's messages up to it none is still to come. */
    default long head(int subject) {
        return seq(subject);
    }

    /**
     * Whether a client may hold this position of the subject although it is above {@link #seq}: another node told of it, and
     * what of the subject lies between is on its way to the loop at the latest.
     */
    default boolean isReached(int subject, long seq) {
        return seq <= seq(subject);
    }

    /** Runs the task behind the messages that are on their way to the loop. */
    default void behindMessages(Runnable task) {
        task.run();
    }

    /**
     * Why a client that comes back with this position cannot be told that nothing is missing, whatever the history has: it
     * does not belong to what this broker knows. Null where it does.
     *
     * @param reached whether what lies before the position has been told of, if it is of this epoch
     */
    default @Nullable Code doubt(int subject, Position position, boolean reached) {
        return position.epoch() == epoch() && reached ? null : Code.EPOCH_CHANGED;
    }

    /** Whether other nodes tell of messages too, so that a position not reached yet may be before long. */
    default boolean isShared() {
        return false;
    }

    /** Publishers of this node want to know who follows the subject, or none does any more. */
    default void onWatched(SubjectKey subject, boolean now) {}

    /** This node has its first subscriber of the subject, or lost its last. */
    default void onFollowed(SubjectKey subject, boolean now) {}

    /** Whether other nodes have subscribers of the subject, as far as this one has been told. */
    default boolean isFollowedElsewhere(SubjectKey subject) {
        return false;
    }

    History history();

    Retained retained();

    /** Gives back what is held, after the loop's last turn. Answers whether everything accepted is where it is to be. */
    boolean close();
}
