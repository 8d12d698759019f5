package io.belfry.protocol;

import static io.belfry.protocol.CommandHandler.NO_ID;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Decodes events in {@code belfry.json.v1}. Owner: one loop, whose connections share the decoder. */
public final class JsonServerEvents implements ServerEventDecoder, JsonFrame.Members {
    private static final long ABSENT = -1;

    private final JsonFrame json = new JsonFrame(BoundedJson.forEvents());
    private final MessageView message = new MessageView();

    private String op = "";
    private long id;
    private int subjectOffset;
    private int subjectLength;
    private int dataOffset;
    private int dataLength;
    private int headersOffset;
    private int headersLength;
    private long epoch;
    private long seq;
    private long prev;
    private long time;
    private @Nullable String type;
    private boolean retained;
    private @Nullable String recovery;
    private @Nullable Position from;
    private @Nullable Position to;
    private @Nullable PatternPosition at;
    private String session = "";
    private String node = "";
    private long ping;
    private long maxMessage;
    private long keep;
    private boolean resumed;
    private String code = "";
    private String reason = "";
    private long after;
    private long clock;
    private boolean subscribers;
    private long conflate;
    private int deltaOffset;
    private int deltaLength;
    private boolean stale;

    @Override
    public void decode(ByteBuf frame, int offset, int length, ServerEventHandler handler) {
        reset();
        json.read(frame, offset, length, this);
        if (json.problemCode() == null) {
            dispatch(handler);
        } else {
            handler.onBadEvent(json.problem());
        }
    }

    private void reset() {
        op = "";
        id = NO_ID;
        subjectOffset = (int) ABSENT;
        dataOffset = (int) ABSENT;
        headersLength = 0;
        epoch = ABSENT;
        seq = ABSENT;
        prev = MessageView.NO_PREV;
        time = 0;
        type = null;
        retained = false;
        recovery = null;
        from = null;
        to = null;
        at = null;
        session = "";
        node = "";
        ping = 0;
        maxMessage = 0;
        keep = 0;
        resumed = false;
        code = "";
        reason = "";
        after = 0;
        clock = ServerEncoding.NO_CLOCK;
        subscribers = false;
        conflate = 0;
        deltaOffset = (int) ABSENT;
        stale = false;
    }

    /** Called by {@link JsonFrame} for each member. */
    @Override
    public void member(String name, JsonFrame in) throws IOException {
        switch (name) {
            case "op" -> op = string(name, in);
            case "id" -> id = in.whole(name);
            case "subject" -> {
                subjectOffset = in.textsEnd();
                subjectLength = in.text(name);
            }
            case "data", "base64" -> {
                dataOffset = in.textsEnd();
                dataLength = name.equals("data") ? in.text(name) : in.base64(name);
            }
            case "delta" -> {
                deltaOffset = in.textsEnd();
                deltaLength = in.text(name);
            }
            case "headers" -> {
                headersOffset = in.textsEnd();
                headersLength = in.headers(name);
            }
            case "epoch" -> epoch = in.whole(name);
            case "seq" -> seq = in.whole(name);
            case "prev" -> prev = in.whole(name);
            case "time" -> time = in.whole(name);
            case "type" -> type = in.string(name);
            case "retained" -> retained = in.flag(name);
            case "recovery" -> recovery = in.string(name);
            case "from" -> from = in.position(name);
            case "to" -> to = in.position(name);
            case "at" -> at = in.patternPosition(name);
            case "session" -> session = string(name, in);
            case "node" -> node = string(name, in);
            case "ping" -> ping = in.whole(name);
            case "maxMessage" -> maxMessage = in.whole(name);
            case "keep" -> keep = in.whole(name);
            case "resumed" -> resumed = in.flag(name);
            case "code" -> code = string(name, in);
            case "reason" -> reason = string(name, in);
            case "after" -> after = in.whole(name);
            case "clock" -> clock = in.whole(name);
            case "conflate" -> conflate = in.whole(name);
            case "subscribers" -> subscribers = in.flag(name);
            case "stale" -> stale = in.flag(name);
            default -> {
                // Unknown members belong to a later version and are ignored.
            }
        }
    }

    private static String string(String name, JsonFrame in) throws IOException {
        String value = in.string(name);
        return value == null ? "" : value;
    }

    private void dispatch(ServerEventHandler handler) {
        switch (op) {
            case "message" -> message(handler);
            case "published" -> published(handler);
            case "subscribed" -> subscribed(handler);
            case "gap" -> gap(handler);
            case "position" -> position(handler);
            case "unsubscribed", "watched", "unwatched", "interest" -> aboutSubject(handler);
            case "connected" ->
                handler.onConnected(
                        id,
                        new ConnectedEvent(
                                session, node, ping, (int) Math.min(maxMessage, Integer.MAX_VALUE), keep, resumed));
            case "pong" -> handler.onPong(id, clock);
            case "error" -> handler.onError(id, code, reason, hasSubject() ? subject() : null, after);
            case "reconnect" -> handler.onReconnect(after, reason);
            case "token-to-expire" -> handler.onTokenToExpire(after);
            case "stale" -> handler.onStale(stale);
            default -> {
                // Unknown events belong to a later version and are ignored.
            }
        }
    }

    private void message(ServerEventHandler handler) {
        MessageType known = type == null ? MessageType.LIVE : MessageType.of(type);
        boolean isDelta = dataOffset == ABSENT && hasDelta();
        if (!hasSubject() || (dataOffset == ABSENT && !isDelta) || !hasPosition()) {
            handler.onBadEvent("a message has no subject, data, epoch or seq");
        } else if (prev != MessageView.NO_PREV && (prev < 0 || prev > Position.MAX)) {
            handler.onBadEvent("prev is outside 0..2^53");
        } else if (known == null) {
            handler.onBadEvent("unknown message type " + JsonFrame.shortened(type == null ? "" : type));
        } else {
            message.subject(json.texts(), subjectOffset, subjectLength);
            message.data(json.texts(), isDelta ? deltaOffset : dataOffset, isDelta ? deltaLength : dataLength);
            message.headers(json.texts(), headersOffset, headersLength).delta(isDelta);
            message.position(epoch, 0, seq).prev(prev).time(time).type(known).retained(retained);
            handler.onMessage(message);
        }
    }

    private void published(ServerEventHandler handler) {
        if (hasPosition()) {
            handler.onPublished(id, epoch, seq);
        } else {
            handler.onBadEvent("published has no epoch or seq");
        }
    }

    private void subscribed(ServerEventHandler handler) {
        Recovery known = recovery == null ? Recovery.NONE : Recovery.of(recovery);
        if (!hasSubject() || known == null) {
            handler.onBadEvent("subscribed has no subject or an unknown recovery");
            return;
        }
        int conflateMillis = (int) Math.max(0, Math.min(conflate, Integer.MAX_VALUE));
        if (hasDelta()) {
            handler.onDeltaSubscribed(id, subject(), hasPosition() ? new Position(epoch, seq) : null, known);
        } else if (at != null) {
            handler.onPatternSubscribed(id, subject(), at, known, conflateMillis);
        } else {
            handler.onSubscribed(id, subject(), hasPosition() ? new Position(epoch, seq) : null, known, conflateMillis);
        }
    }

    private void position(ServerEventHandler handler) {
        if (at == null) {
            handler.onBadEvent("a position has no at");
        } else if (hasSubject()) {
            handler.onProgress(subject(), at);
        } else {
            handler.onPosition(at);
        }
    }

    private void gap(ServerEventHandler handler) {
        if (hasSubject() && to != null) {
            handler.onGap(subject(), from, to, reason);
        } else {
            handler.onBadEvent("a gap has no subject or to");
        }
    }

    private void aboutSubject(ServerEventHandler handler) {
        if (!hasSubject()) {
            handler.onBadEvent(op + " has no subject");
            return;
        }
        switch (op) {
            case "watched" -> handler.onWatched(id, subject(), subscribers);
            case "unwatched" -> handler.onUnwatched(id, subject(), reasonOrNull());
            case "interest" -> handler.onInterest(subject(), subscribers);
            default -> handler.onUnsubscribed(id, subject(), reasonOrNull());
        }
    }

    private @Nullable String reasonOrNull() {
        return reason.isEmpty() ? null : reason;
    }

    private boolean hasSubject() {
        return subjectOffset != ABSENT;
    }

    private boolean hasDelta() {
        return deltaOffset != ABSENT;
    }

    private boolean hasPosition() {
        return epoch >= 0 && epoch <= Position.MAX && seq >= 0 && seq <= Position.MAX;
    }

    private byte[] subject() {
        byte[] subject = new byte[subjectLength];
        json.texts().getBytes(subjectOffset, subject);
        return subject;
    }
}
