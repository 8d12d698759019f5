package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The formats of Belfry's own protocols: the events in JSON or binary, in frames, chunks or plain text. Immutable. */
public enum BelfryFormat implements WireFormat {
    /** Each event is a text frame. */
    WEBSOCKET_JSON(new JsonEncoding(), Framing.TEXT_FRAME),
    /** Each event is a binary frame. */
    WEBSOCKET_BINARY(new BinaryEncoding(), Framing.BINARY_FRAME),
    /** Like {@link #WEBSOCKET_JSON}; live messages are compressed, once for all receivers. */
    WEBSOCKET_JSON_DEFLATED(new JsonEncoding(), Framing.TEXT_FRAME),
    /** Like {@link #WEBSOCKET_BINARY}; live messages are compressed, once for all receivers. */
    WEBSOCKET_BINARY_DEFLATED(new BinaryEncoding(), Framing.BINARY_FRAME),
    /** Each event is a server-sent event in a chunk of its own; its id is the position after it. */
    SSE(new JsonEncoding(), Framing.SSE_CHUNK),
    /** Like {@link #SSE}, for patterns: only an event that contains a position of patterns has an id, the position. */
    SSE_OF_PATTERNS(new JsonEncoding(), Framing.SSE_CHUNK),
    /** Each event is a line in a chunk of its own. */
    NDJSON(new JsonEncoding(), Framing.LINE_CHUNK),
    /** Like {@link #SSE} without chunks, for a client of HTTP/1.0. */
    SSE_UNCHUNKED(new JsonEncoding(), Framing.SSE_UNCHUNKED),
    /** Like {@link #SSE_OF_PATTERNS} without chunks, for a client of HTTP/1.0. */
    SSE_OF_PATTERNS_UNCHUNKED(new JsonEncoding(), Framing.SSE_UNCHUNKED),
    /** Like {@link #NDJSON} without chunks, for a client of HTTP/1.0. */
    NDJSON_UNCHUNKED(new JsonEncoding(), Framing.LINE_UNCHUNKED);

    @SuppressWarnings("ImmutableEnumChecker") // Encodings are stateless.
    private final ServerEncoding encoding;

    private final Framing framing;

    BelfryFormat(ServerEncoding encoding, Framing framing) {
        this.encoding = encoding;
        this.framing = framing;
    }

    @Override
    public int id() {
        return ordinal();
    }

    @Override
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public void message(ByteBuf out, MessageView m) {
        if (m.headersLength() > 0) {
            if (HistoryRemoval.is(m)) {
                gap(out, HistoryRemoval.subject(m), HistoryRemoval.from(m), HistoryRemoval.to(m), Code.HISTORY_REMOVED);
                return;
            }
            if (encoding.binary()) {
                headers(out, m);
            }
        }
        int payloadMin = encoding.binary() ? BinaryEncoding.messageLength(m) : JsonEncoding.messageLengthMin(m);
        int start = framing.begin(out, payloadMin);
        if (framing.isEventStream()) {
            // A snapshot is older than the position at which its subscription began, so it must not become the position
            // to resume from.
            if (hasIds() && m.type() != MessageType.SNAPSHOT) {
                ServerSentEvents.id(out, m.epoch(), m.seq());
            }
            ServerSentEvents.data(out);
        }
        encoding.message(out, m);
        framing.end(out, start, payloadMin);
    }

    /** Appends the frame with a message's headers, which a client that does not know them ignores. */
    private void headers(ByteBuf out, MessageView m) {
        int length = BinaryEncoding.headersLength(m);
        int start = framing.begin(out, length);
        BinaryEncoding.headers(out, m);
        framing.end(out, start, length);
    }

    /** Appends a message to a stream of several subjects, whose event id has a position for each subject. */
    public void sseMessage(ByteBuf out, MessageView m, CharSequence id) {
        assert framing.isEventStream();
        int start = framing.begin(out, 0);
        ServerSentEvents.id(out, id);
        ServerSentEvents.data(out);
        encoding.message(out, m);
        framing.end(out, start, 0);
    }

    /** Appends the confirmation of a subscription to a stream of several subjects. */
    public void sseSubscribed(
            ByteBuf out,
            long id,
            byte[] subject,
            @Nullable Position at,
            Recovery recovery,
            int conflateMillis,
            CharSequence eventId) {
        assert framing.isEventStream();
        int start = begin(out, "subscribed", eventId);
        encoding.subscribed(out, id, subject, at, 0, recovery, conflateMillis);
        framing.end(out, start, 0);
    }

    /** Appends a gap to a stream of several subjects. */
    public void sseGap(
            ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason, CharSequence eventId) {
        assert framing.isEventStream();
        int start = begin(out, "gap", eventId);
        encoding.gap(out, subject, from, to, reason);
        framing.end(out, start, 0);
    }

    @Override
    public void subscribed(
            ByteBuf out,
            long id,
            byte[] subject,
            @Nullable Position at,
            int epochIndex,
            Recovery recovery,
            int conflateMillis) {
        int start = framing.begin(out, 0);
        if (framing.isEventStream()) {
            ServerSentEvents.event(out, "subscribed");
            // A resumed stream has not delivered the messages up to this position. A client cut off now must resume
            // from its previous one.
            if (hasIds() && at != null && recovery == Recovery.NONE) {
                ServerSentEvents.id(out, at.epoch(), at.seq());
            }
            ServerSentEvents.data(out);
        }
        encoding.subscribed(out, id, subject, at, epochIndex, recovery, conflateMillis);
        framing.end(out, start, 0);
    }

    @Override
    public void deltaSubscribed(
            ByteBuf out, long id, byte[] subject, Position at, int epochIndex, Recovery recovery, String delta) {
        int start = framing.begin(out, 0);
        encoding.deltaSubscribed(out, id, subject, at, epochIndex, recovery, delta);
        framing.end(out, start, 0);
    }

    @Override
    public void patternSubscribed(
            ByteBuf out, long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        int start = framing.isEventStream() ? begin(out, "subscribed", at.toString()) : framing.begin(out, 0);
        encoding.patternSubscribed(out, id, pattern, at, recovery, conflateMillis);
        framing.end(out, start, 0);
    }

    /** Appends the confirmation of a pattern that has a position to a stream of subjects and patterns. */
    public void ssePatternSubscribed(
            ByteBuf out,
            long id,
            byte[] pattern,
            PatternPosition at,
            Recovery recovery,
            int conflateMillis,
            CharSequence eventId) {
        assert framing.isEventStream();
        int start = begin(out, "subscribed", eventId);
        encoding.patternSubscribed(out, id, pattern, at, recovery, conflateMillis);
        framing.end(out, start, 0);
    }

    @Override
    public void position(ByteBuf out, PatternPosition at) {
        int start = framing.isEventStream() ? begin(out, "position", at.toString()) : framing.begin(out, 0);
        encoding.position(out, at);
        framing.end(out, start, 0);
    }

    @Override
    public void progress(ByteBuf out, byte[] pattern, PatternPosition at) {
        int start = framing.isEventStream() ? begin(out, "position", at.toString()) : framing.begin(out, 0);
        encoding.progress(out, pattern, at);
        framing.end(out, start, 0);
    }

    /** Appends a position of patterns to a stream of subjects and patterns. */
    public void ssePosition(ByteBuf out, PatternPosition at, CharSequence eventId) {
        assert framing.isEventStream();
        int start = begin(out, "position", eventId);
        encoding.position(out, at);
        framing.end(out, start, 0);
    }

    @Override
    public void connected(ByteBuf out, long id, ConnectedEvent event) {
        int start = begin(out, "connected");
        encoding.connected(out, id, event);
        framing.end(out, start, 0);
    }

    @Override
    public void unsubscribed(ByteBuf out, long id, byte[] subject, @Nullable Code reason) {
        int start = begin(out, "unsubscribed");
        encoding.unsubscribed(out, id, subject, reason);
        framing.end(out, start, 0);
    }

    @Override
    public void published(ByteBuf out, long id, long epoch, long seq) {
        int start = begin(out, "published");
        encoding.published(out, id, epoch, seq);
        framing.end(out, start, 0);
    }

    /**
     * Appends a gap. The gap advances the position as a message does, so a client that resumes after it does not get it
     * again.
     */
    @Override
    public void gap(ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason) {
        int start = framing.begin(out, 0);
        if (framing.isEventStream()) {
            ServerSentEvents.event(out, "gap");
            if (hasIds()) {
                ServerSentEvents.id(out, to.epoch(), to.seq());
            }
            ServerSentEvents.data(out);
        }
        encoding.gap(out, subject, from, to, reason);
        framing.end(out, start, 0);
    }

    @Override
    public void pong(ByteBuf out, long id, long clockMicros) {
        int start = begin(out, "pong");
        encoding.pong(out, id, clockMicros);
        framing.end(out, start, 0);
    }

    @Override
    public void error(ByteBuf out, long id, Code code, String reason, byte @Nullable [] subject, long afterMillis) {
        int start = begin(out, "error");
        encoding.error(out, id, code, reason, subject, afterMillis);
        framing.end(out, start, 0);
    }

    @Override
    public void reconnect(ByteBuf out, long afterMillis, Code reason) {
        int start = begin(out, "reconnect");
        encoding.reconnect(out, afterMillis, reason);
        framing.end(out, start, 0);
    }

    @Override
    public void tokenToExpire(ByteBuf out, long afterMillis) {
        int start = begin(out, "token-to-expire");
        encoding.tokenToExpire(out, afterMillis);
        framing.end(out, start, 0);
    }

    @Override
    public void stale(ByteBuf out, boolean stale) {
        int start = begin(out, "stale");
        encoding.stale(out, stale);
        framing.end(out, start, 0);
    }

    @Override
    public void watched(ByteBuf out, long id, byte[] subject, boolean subscribers) {
        int start = begin(out, "watched");
        encoding.watched(out, id, subject, subscribers);
        framing.end(out, start, 0);
    }

    @Override
    public void unwatched(ByteBuf out, long id, byte[] subject, @Nullable Code reason) {
        int start = begin(out, "unwatched");
        encoding.unwatched(out, id, subject, reason);
        framing.end(out, start, 0);
    }

    @Override
    public void interest(ByteBuf out, byte[] subject, boolean subscribers) {
        int start = begin(out, "interest");
        encoding.interest(out, subject, subscribers);
        framing.end(out, start, 0);
    }

    @Override
    public void epoch(ByteBuf out, int index, long epoch) {
        if (encoding.binary()) {
            int start = framing.begin(out, 0);
            encoding.epoch(out, index, epoch);
            framing.end(out, start, 0);
        }
    }

    @Override
    public boolean isStream() {
        return !framing.isFrame();
    }

    /** The same events for a client of HTTP/1.0, which takes no chunks. */
    public BelfryFormat unchunked() {
        return switch (this) {
            case SSE -> SSE_UNCHUNKED;
            case SSE_OF_PATTERNS -> SSE_OF_PATTERNS_UNCHUNKED;
            case NDJSON -> NDJSON_UNCHUNKED;
            default -> this;
        };
    }

    @Override
    public boolean hasDeltas() {
        return framing.isFrame();
    }

    private boolean hasIds() {
        return this == SSE || this == SSE_UNCHUNKED;
    }

    /**
     * Returns the format of a WebSocket with this encoding; {@code deflated} if a {@link FrameDeflater} compresses its
     * messages.
     */
    public static BelfryFormat ofWebSocket(boolean binary, boolean deflated) {
        if (deflated) {
            return binary ? WEBSOCKET_BINARY_DEFLATED : WEBSOCKET_JSON_DEFLATED;
        }
        return binary ? WEBSOCKET_BINARY : WEBSOCKET_JSON;
    }

    @Override
    public boolean isDeflated() {
        return this == WEBSOCKET_JSON_DEFLATED || this == WEBSOCKET_BINARY_DEFLATED;
    }

    @Override
    public boolean binary() {
        return encoding.binary();
    }

    @Override
    public void keepAlive(ByteBuf out) {
        framing.keepAlive(out);
    }

    @Override
    public void close(ByteBuf out, Code code) {
        framing.close(out, code);
    }

    private int begin(ByteBuf out, String event) {
        int start = framing.begin(out, 0);
        if (framing.isEventStream()) {
            ServerSentEvents.event(out, event);
            ServerSentEvents.data(out);
        }
        return start;
    }

    private int begin(ByteBuf out, String event, CharSequence eventId) {
        int start = framing.begin(out, 0);
        ServerSentEvents.event(out, event);
        ServerSentEvents.id(out, eventId);
        ServerSentEvents.data(out);
        return start;
    }
}
