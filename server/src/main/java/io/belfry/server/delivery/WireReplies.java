package io.belfry.server.delivery;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.ConnectedEvent;
import io.belfry.protocol.FossilDelta;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.WireFormat;
import io.belfry.server.session.ContinuedSession;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.turn.Clock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends events to sessions of one wire format, after what they get in the same turn. Owner: the lane's loop. */
final class WireReplies implements Replies {
    private static final int SCRATCH_BYTES = 1024;
    private static final int SCRATCH_BYTES_KEPT = 256 * 1024;

    private final WireFormat format;
    private final FanOut fanOut;
    private final NodeFacts facts;
    private final Clock clock;
    private final int lane;
    private ByteBuf scratch = Unpooled.directBuffer(SCRATCH_BYTES);

    WireReplies(WireFormat format, FanOut fanOut, NodeFacts facts, Clock clock, int lane) {
        this.format = format;
        this.fanOut = fanOut;
        this.facts = facts;
        this.clock = clock;
        this.lane = lane;
    }

    WireFormat format() {
        return format;
    }

    private void tell(Session session, int messages, Consumer<ByteBuf> write) {
        scratch.clear();
        write.accept(scratch);
        if (scratch.isReadable()) {
            fanOut.stage(session, scratch, messages);
        }
        if (scratch.capacity() > SCRATCH_BYTES_KEPT) {
            scratch.release();
            scratch = Unpooled.directBuffer(SCRATCH_BYTES);
        }
    }

    /** Frees the memory outside the heap. */
    void release() {
        scratch.release();
    }

    /** Returns whether an answer is sent: a command without an id requests none, and a stream receives events without commands. */
    private boolean isWanted(long id) {
        return id != CommandHandler.NO_ID || format.isStream();
    }

    /** Returns the id that a client receives. */
    private static long shown(long id) {
        return id == CommandHandler.SERVER_ID ? CommandHandler.NO_ID : id;
    }

    @Override
    public void connected(Session session, long id, int pingMillis) {
        connected(session, id, facts.sessionName(lane, session), pingMillis, 0, false);
    }

    @Override
    public void connected(Session session, long id, int pingMillis, ContinuedSession kept) {
        connected(session, id, kept.id(), pingMillis, kept.keepMillis(), kept.resumed());
    }

    private void connected(Session session, long id, String name, int pingMillis, int keepMillis, boolean resumed) {
        if (isWanted(id)) {
            ConnectedEvent event =
                    new ConnectedEvent(name, facts.node(), pingMillis, facts.maxMessage(), keepMillis, resumed);
            tell(session, 0, out -> format.connected(out, id, event));
        }
    }

    @Override
    public void subscribed(
            Session session, long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        if (!isWanted(id)) {
            return;
        }
        tell(session, 0, out -> format.subscribed(out, shown(id), subject, at, 0, recovery, conflateMillis));
    }

    @Override
    public void deltaSubscribed(Session session, long id, byte[] subject, Position at, Recovery recovery) {
        if (isWanted(id)) {
            tell(session, 0, out -> format.deltaSubscribed(out, shown(id), subject, at, 0, recovery, FossilDelta.NAME));
        }
    }

    @Override
    public void patternSubscribed(
            Session session, long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        if (format.isStream() && !session.hasOnePatternPosition()) {
            subscribed(session, id, pattern, null, recovery, conflateMillis);
        } else if (isWanted(id)) {
            tell(session, 0, out -> format.patternSubscribed(out, shown(id), pattern, at, recovery, conflateMillis));
        }
    }

    @Override
    public void position(Session session, PatternPosition at) {
        tell(session, 0, out -> format.position(out, at));
    }

    @Override
    public void progress(Session session, byte[] pattern, PatternPosition at) {
        if (!format.isStream() || session.hasOnePatternPosition()) {
            tell(session, 0, out -> format.progress(out, pattern, at));
        }
    }

    @Override
    public void unsubscribed(Session session, long id, byte[] subject) {
        tell(session, 0, out -> format.unsubscribed(out, id, subject));
    }

    @Override
    public void published(Session session, long id, long epoch, long seq) {
        scratch.clear();
        format.published(scratch, id, epoch, seq);
        fanOut.stage(session, scratch, 0);
    }

    @Override
    public void message(Session session, MessageView message) {
        tell(session, 1, out -> format.message(out, message));
    }

    @Override
    public void gap(Session session, byte[] subject, @Nullable Position from, Position to, Code reason) {
        tell(session, 0, out -> format.gap(out, subject, from, to, reason));
    }

    @Override
    public void pong(Session session, long id) {
        tell(session, 0, out -> format.pong(out, id, clock.micros()));
    }

    @Override
    public void error(Session session, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        tell(session, 0, out -> format.error(out, id, code, reason, subject, afterMillis));
    }

    @Override
    public void ended(Session session, byte[] subject, Code reason) {
        tell(session, 0, out -> format.unsubscribed(out, CommandHandler.NO_ID, subject, reason));
    }

    @Override
    public void watchEnded(Session session, byte[] subject, Code reason) {
        tell(session, 0, out -> format.unwatched(out, CommandHandler.NO_ID, subject, reason));
    }

    @Override
    public void tokenToExpire(Session session, long afterMillis) {
        tell(session, 0, out -> format.tokenToExpire(out, afterMillis));
    }

    @Override
    public void stale(Session session, boolean stale) {
        tell(session, 0, out -> format.stale(out, stale));
    }

    @Override
    public void reconnect(Session session, long afterMillis, Code reason) {
        tell(session, 0, out -> format.reconnect(out, afterMillis, reason));
    }

    @Override
    public void watched(Session session, long id, byte[] subject, boolean subscribers) {
        tell(session, 0, out -> format.watched(out, id, subject, subscribers));
    }

    @Override
    public void unwatched(Session session, long id, byte[] subject) {
        tell(session, 0, out -> format.unwatched(out, id, subject));
    }

    @Override
    public void interest(Session session, byte[] subject, boolean subscribers) {
        tell(session, 0, out -> format.interest(out, subject, subscribers));
    }

    /** Declares the epoch that indexes refer to; the first event on a binary connection. */
    void epoch(Session session) {
        tell(session, 0, out -> format.epoch(out, 0, facts.epoch()));
    }
}
