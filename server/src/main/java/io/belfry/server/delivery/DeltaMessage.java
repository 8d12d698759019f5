package io.belfry.server.delivery;

import io.belfry.protocol.MessageView;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * One message to a subject with subscriptions that ask for deltas; decides for each session between the delta and the whole message. Owner: the lane's loop.
 */
final class DeltaMessage {
    private final DeltaGroup group;
    private final LoopCounters counters;

    /** The message with the delta as its data, valid while the message is delivered; null if all get the whole message. */
    final @Nullable MessageView view;

    private @Nullable MessageView sent;

    private final boolean text;
    private final int saved;

    /** Where the delta is encoded, of a message to very many sessions. */
    EncodedBlocks.@Nullable Ranges ranges;

    /**
     * Creates a message.
     *
     * @param text whether the data is UTF-8, so that the delta fits into a format of text
     * @param saved number of bytes by which the delta is shorter than the data
     */
    DeltaMessage(DeltaGroup group, LoopCounters counters, @Nullable MessageView view, boolean text, int saved) {
        this.group = group;
        this.counters = counters;
        this.view = view;
        this.text = text;
        this.saved = saved;
    }

    /**
     * Returns whether the message is delivered to the session now, and records it; {@link #sent()} is then what the session gets.
     * A session that lags does not have the base of the next delta.
     */
    boolean admits(Session session, int subject, MessageView message, FanOut.Special special, EncodedBlocks blocks) {
        sent = isFor(session, blocks) ? view : null;
        boolean admitted = session.isOrdinary() || special.admit(session, subject, message);
        group.received(session.slot(), admitted);
        if (admitted && sent != null) {
            counters.increment(Counter.DELTAS_OUT);
            counters.add(Counter.DELTA_SAVED_BYTES, saved);
        }
        return admitted;
    }

    /** Returns the delta if the session of the last call of {@link #admits} gets it, or null if it gets the whole message. */
    @Nullable
    MessageView sent() {
        return sent;
    }

    private boolean isFor(Session session, EncodedBlocks blocks) {
        return view != null
                && group.hasBase(session.slot())
                && (text || blocks.at(session.format()).format.binary());
    }
}
