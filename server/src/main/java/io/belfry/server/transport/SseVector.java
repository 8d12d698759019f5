package io.belfry.server.transport;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.HistoryRemoval;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.Subjects;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes server-sent events of several subjects. The id of each event contains the positions of all subjects in request
 * order and that of the patterns, so that a browser that reconnects with its last id resumes all of them. Owner: the loop.
 */
final class SseVector implements Replies {
    private final Lane lane;
    private final BelfryFormat format;
    private final Map<ByteBuffer, Integer> indexes = new HashMap<>();
    private final @Nullable Position[] positions;

    /** Subjects, by index, that were refused, so that their positions remain unknown. */
    private final BitSet refused = new BitSet();

    private final @Nullable PatternPosition resumedAt;
    private @Nullable PatternPosition ofPatterns;

    /**
     * {@code format} is that of a single subject. {@code from} contains the positions at which the stream resumes; each
     * stays in the id until its subject or the patterns have advanced.
     */
    SseVector(Lane lane, BelfryFormat format, List<byte[]> subjects, StreamPositions from) {
        this.lane = lane;
        this.format = format;
        resumedAt = from.ofPatterns();
        positions = new Position[subjects.size()];
        for (int i = 0; i < subjects.size(); i++) {
            if (!Subjects.isPattern(subjects.get(i))) {
                positions[indexes.size()] = from.ofSubjects().get(i);
                indexes.put(ByteBuffer.wrap(subjects.get(i)), indexes.size());
            }
        }
    }

    private void tell(Session session, int messages, Consumer<ByteBuf> write) {
        ByteBuf out = Unpooled.directBuffer();
        try {
            write.accept(out);
            lane.stage(session, out, messages);
        } finally {
            out.release();
        }
    }

    private void note(ByteBuffer subject, Position position) {
        Integer index = indexes.get(subject);
        if (index != null) {
            positions[index] = position;
        }
    }

    /**
     * The patterns advance only when all names have positions: a client that resumes a name without one does not receive its
     * earlier messages, by the pattern neither.
     */
    private String id() {
        StringBuilder id = new StringBuilder();
        boolean known = true;
        for (int i = 0; i < indexes.size(); i++) {
            id.append(i == 0 ? "" : ",");
            if (positions[i] != null) {
                id.append(positions[i]);
            } else {
                known &= refused.get(i);
            }
        }
        PatternPosition shown = known && ofPatterns != null ? ofPatterns : resumedAt;
        if (shown != null) {
            id.append(',').append(shown);
        }
        return id.toString();
    }

    @Override
    public void message(Session session, MessageView message) {
        byte[] subject = HistoryRemoval.subject(message);
        if (HistoryRemoval.is(message)) {
            Position to = HistoryRemoval.to(message);
            gap(session, subject, HistoryRemoval.from(message), to, Code.HISTORY_REMOVED);
            return;
        }
        if (message.type() != MessageType.SNAPSHOT) {
            note(ByteBuffer.wrap(subject), new Position(message.epoch(), message.seq()));
        }
        tell(session, 1, out -> format.sseMessage(out, message, id()));
    }

    @Override
    public void subscribed(
            Session session, long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        // The recovered messages advance the position of a resumed subject one by one; until then the old position is
        // kept.
        if (at != null && recovery == Recovery.NONE) {
            note(ByteBuffer.wrap(subject), at);
        }
        tell(session, 0, out -> format.sseSubscribed(out, id, subject, at, recovery, conflateMillis, id()));
    }

    @Override
    public void patternSubscribed(
            Session session, long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        if (session.hasOnePatternPosition()) {
            ofPatterns = at;
            tell(session, 0, out -> format.ssePatternSubscribed(out, id, pattern, at, recovery, conflateMillis, id()));
        } else {
            subscribed(session, id, pattern, null, recovery, conflateMillis);
        }
    }

    @Override
    public void position(Session session, PatternPosition at) {
        ofPatterns = at;
        tell(session, 0, out -> format.ssePosition(out, at, id()));
    }

    @Override
    public void progress(Session session, byte[] pattern, PatternPosition at) {
        if (session.hasOnePatternPosition()) {
            position(session, at);
        }
    }

    @Override
    public void gap(Session session, byte[] subject, @Nullable Position from, Position to, Code reason) {
        note(ByteBuffer.wrap(subject), to);
        tell(session, 0, out -> format.sseGap(out, subject, from, to, reason, id()));
    }

    @Override
    public void connected(Session session, long id, int pingMillis) {
        // A stream has no commands that need an answer.
    }

    @Override
    public void unsubscribed(Session session, long id, byte[] subject) {
        tell(session, 0, out -> format.unsubscribed(out, id, subject));
    }

    @Override
    public void published(Session session, long id, long epoch, long seq) {
        // A stream has no commands that need an answer.
    }

    @Override
    public void pong(Session session, long id) {
        // A stream has no commands that need an answer.
    }

    @Override
    public void error(Session session, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        Integer index = subject == null ? null : indexes.get(ByteBuffer.wrap(subject));
        if (index != null) {
            refused.set(index);
        }
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
        // A stream has no commands that need an answer.
    }

    @Override
    public void unwatched(Session session, long id, byte[] subject) {
        // A stream has no commands that need an answer.
    }

    @Override
    public void interest(Session session, byte[] subject, boolean subscribers) {
        // A stream cannot request it.
    }
}
