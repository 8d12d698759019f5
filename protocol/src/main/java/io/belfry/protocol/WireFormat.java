package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What goes to a socket: the events of an encoding inside the framing of a transport. Each method appends one whole
 * frame or chunk, so any number of them lie in one buffer and go out in one write. Immutable.
 */
public enum WireFormat implements ServerEncoding {
    /** Each event a text frame. */
    WEBSOCKET_JSON(new JsonEncoding(), Framing.TEXT_FRAME),
    /** Each event a binary frame. */
    WEBSOCKET_BINARY(new BinaryEncoding(), Framing.BINARY_FRAME),
    /** As {@link #WEBSOCKET_JSON}; live messages are then compressed, once for all. */
    WEBSOCKET_JSON_DEFLATED(new JsonEncoding(), Framing.TEXT_FRAME),
    /** As {@link #WEBSOCKET_BINARY}; live messages are then compressed, once for all. */
    WEBSOCKET_BINARY_DEFLATED(new BinaryEncoding(), Framing.BINARY_FRAME),
    /** Each event a server-sent event in a chunk of its own, with the position it leads to as its id. */
    SSE(new JsonEncoding(), Framing.SSE_CHUNK),
    /** As {@link #SSE} without ids: a pattern has no position that a browser could come back with. */
    SSE_OF_PATTERNS(new JsonEncoding(), Framing.SSE_CHUNK),
    /** Each event a line in a chunk of its own. */
    NDJSON(new JsonEncoding(), Framing.LINE_CHUNK);

    @SuppressWarnings("ImmutableEnumChecker") // Encodings are stateless.
    private final ServerEncoding encoding;

    private final Framing framing;

    WireFormat(ServerEncoding encoding, Framing framing) {
        this.encoding = encoding;
        this.framing = framing;
    }

    @Override
    public void message(ByteBuf out, MessageView m) {
        int payloadMin = encoding.binary() ? BinaryEncoding.messageLength(m) : JsonEncoding.messageLengthMin(m);
        int start = framing.begin(out, payloadMin);
        if (framing == Framing.SSE_CHUNK) {
            // A snapshot is older than the position its subscription began at: it is no place to resume from.
            if (this == SSE && m.type() != MessageType.SNAPSHOT) {
                ServerSentEvents.id(out, m.epoch(), m.seq());
            }
            ServerSentEvents.data(out);
        }
        encoding.message(out, m);
        framing.end(out, start, payloadMin);
    }

    /** For a stream of several subjects, whose id names a position of each. */
    public static void sseMessage(ByteBuf out, MessageView m, CharSequence id) {
        int start = Framing.SSE_CHUNK.begin(out, 0);
        ServerSentEvents.id(out, id);
        ServerSentEvents.data(out);
        SSE.encoding.message(out, m);
        Framing.SSE_CHUNK.end(out, start, 0);
    }

    /** As {@link #sseMessage}, for the event that tells of a subscription. */
    public static void sseSubscribed(
            ByteBuf out,
            long id,
            byte[] subject,
            @Nullable Position at,
            Recovery recovery,
            int conflateMillis,
            CharSequence eventId) {
        int start = Framing.SSE_CHUNK.begin(out, 0);
        ServerSentEvents.event(out, "subscribed");
        ServerSentEvents.id(out, eventId);
        ServerSentEvents.data(out);
        SSE.encoding.subscribed(out, id, subject, at, 0, recovery, conflateMillis);
        Framing.SSE_CHUNK.end(out, start, 0);
    }

    /** As {@link #sseMessage}, for a gap. */
    public static void sseGap(
            ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason, CharSequence eventId) {
        int start = Framing.SSE_CHUNK.begin(out, 0);
        ServerSentEvents.event(out, "gap");
        ServerSentEvents.id(out, eventId);
        ServerSentEvents.data(out);
        SSE.encoding.gap(out, subject, from, to, reason);
        Framing.SSE_CHUNK.end(out, start, 0);
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
        if (framing == Framing.SSE_CHUNK) {
            ServerSentEvents.event(out, "subscribed");
            // A resumed stream has not got there yet: whoever is cut off now must resume from where it was.
            if (this == SSE && at != null && recovery == Recovery.NONE) {
                ServerSentEvents.id(out, at.epoch(), at.seq());
            }
            ServerSentEvents.data(out);
        }
        encoding.subscribed(out, id, subject, at, epochIndex, recovery, conflateMillis);
        framing.end(out, start, 0);
    }

    @Override
    public void connected(ByteBuf out, long id, String session, String node, long pingMillis, int maxMessage) {
        int start = begin(out, "connected");
        encoding.connected(out, id, session, node, pingMillis, maxMessage);
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

    /** A gap moves the position as a message does: whoever resumes behind it is not told of it again. */
    @Override
    public void gap(ByteBuf out, byte[] subject, @Nullable Position from, Position to, Code reason) {
        int start = framing.begin(out, 0);
        if (framing == Framing.SSE_CHUNK) {
            ServerSentEvents.event(out, "gap");
            if (this == SSE) {
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

    /** Whether its sessions only listen: they are told without having asked. */
    public boolean isStream() {
        return framing == Framing.SSE_CHUNK || framing == Framing.LINE_CHUNK;
    }

    /** Of the two encodings of WebSocket, with messages that a {@link FrameDeflater} is to compress or without. */
    public static WireFormat ofWebSocket(boolean binary, boolean deflated) {
        if (deflated) {
            return binary ? WEBSOCKET_BINARY_DEFLATED : WEBSOCKET_JSON_DEFLATED;
        }
        return binary ? WEBSOCKET_BINARY : WEBSOCKET_JSON;
    }

    /** Whether a {@link FrameDeflater} has its turn at messages. */
    public boolean isDeflated() {
        return this == WEBSOCKET_JSON_DEFLATED || this == WEBSOCKET_BINARY_DEFLATED;
    }

    @Override
    public boolean binary() {
        return encoding.binary();
    }

    /** What keeps an idle connection open and shows that it is: a WebSocket ping, a comment, an empty line. */
    public void keepAlive(ByteBuf out) {
        framing.keepAlive(out);
    }

    /** The end of the stream: a close frame with the code's number and text, or the last chunk. */
    public void close(ByteBuf out, Code code) {
        framing.close(out, code);
    }

    private int begin(ByteBuf out, String event) {
        int start = framing.begin(out, 0);
        if (framing == Framing.SSE_CHUNK) {
            ServerSentEvents.event(out, event);
            ServerSentEvents.data(out);
        }
        return start;
    }
}
