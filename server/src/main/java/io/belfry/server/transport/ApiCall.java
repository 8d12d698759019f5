package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import org.jspecify.annotations.Nullable;

/**
 * A publish, history or poll whose answer waits for the lane. Gets the lane's replies until it ends with its answer; only
 * the replies that a kind of call causes have an effect. Owner: the loop.
 */
interface ApiCall {
    /** The id of the lane command that a call executes. */
    long COMMAND_ID = 1;

    default void published(long epoch, long seq) {}

    default void message(MessageView message) {}

    default void gap(byte[] subject, @Nullable Position from, Position at, Code reason) {}

    default void subscribed(byte[] subject, @Nullable Position at, Recovery recovery) {}

    default void patternSubscribed(byte[] pattern, PatternPosition at, Recovery recovery) {
        subscribed(pattern, null, recovery);
    }

    /** Everything up to this position was passed to {@link #message}, for a pattern that is being read. */
    default void progress(PatternPosition at) {}

    default void caughtUp() {}

    /** Called after an error has ended the call, before the answer; undoes what the call began on the lane. */
    default void onError() {}

    /** Releases everything held; called once, when the call ends for any reason. */
    default void release() {}

    /** Returns whether the call waits for new messages, and not only for the lane. */
    default boolean isPolling() {
        return false;
    }
}
