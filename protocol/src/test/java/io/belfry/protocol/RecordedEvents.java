package io.belfry.protocol;

import static io.belfry.protocol.CommandHandler.NO_ID;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records each event as the fields of a test vector; an invalid event as its reason. */
final class RecordedEvents implements ServerEventHandler {
    final List<ObjectNode> all = new ArrayList<>();

    /** Decodes one frame; returns null if the decoder made no call. */
    static @Nullable ObjectNode of(ServerEventDecoder decoder, ByteBuf frame) {
        RecordedEvents recorded = new RecordedEvents();
        decoder.decode(frame, frame.readerIndex(), frame.readableBytes(), recorded);
        if (recorded.all.size() > 1) {
            throw new AssertionError("calls: " + recorded.all);
        }
        return recorded.all.isEmpty() ? null : recorded.all.getFirst();
    }

    @Override
    public void onMessage(MessageView m) {
        ObjectNode event = event("message", NO_ID);
        event.put("subject", m.subject().toString(m.subjectOffset(), m.subjectLength(), StandardCharsets.UTF_8));
        event.put(m.isDelta() ? "delta" : "hex", ByteBufUtil.hexDump(m.data(), m.dataOffset(), m.dataLength()));
        event.put("epoch", m.epoch()).put("seq", m.seq()).put("time", m.timeMillis());
        if (m.prev() != MessageView.NO_PREV) {
            event.put("prev", m.prev());
        }
        if (m.type() != MessageType.LIVE) {
            event.put("type", m.type().text());
        }
        if (m.retained()) {
            event.put("retained", true);
        }
        if (m.headersLength() > 0) {
            MessageHeaders.of(m).forEach(event.putObject("headers")::put);
        }
    }

    @Override
    public void onConnected(long id, ConnectedEvent connected) {
        ObjectNode event =
                event("connected", id).put("session", connected.session()).put("node", connected.node());
        event.put("ping", connected.pingMillis()).put("maxMessage", connected.maxMessage());
        if (connected.keepMillis() > 0) {
            event.put("keep", connected.keepMillis());
        }
        if (connected.resumed()) {
            event.put("resumed", true);
        }
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        ObjectNode event = about("subscribed", id, subject).put("recovery", recovery.text());
        if (at != null) {
            event.put("epoch", at.epoch()).put("seq", at.seq());
        }
    }

    @Override
    public void onSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery, int conflateMillis) {
        onSubscribed(id, subject, at, recovery);
        if (conflateMillis > 0) {
            all.getLast().put("conflate", conflateMillis);
        }
    }

    @Override
    public void onDeltaSubscribed(long id, byte[] subject, @Nullable Position at, Recovery recovery) {
        onSubscribed(id, subject, at, recovery);
        all.getLast().put("delta", FossilDelta.NAME);
    }

    @Override
    public void onPatternSubscribed(
            long id, byte[] pattern, PatternPosition at, Recovery recovery, int conflateMillis) {
        onSubscribed(id, pattern, null, recovery, conflateMillis);
        all.getLast().put("at", at.toString());
    }

    @Override
    public void onPosition(PatternPosition at) {
        event("position", NO_ID).put("at", at.toString());
    }

    @Override
    public void onProgress(byte[] pattern, PatternPosition at) {
        about("position", NO_ID, pattern).put("at", at.toString());
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject) {
        about("unsubscribed", id, subject);
    }

    @Override
    public void onUnsubscribed(long id, byte[] subject, @Nullable String reason) {
        ended("unsubscribed", id, subject, reason);
    }

    @Override
    public void onUnwatched(long id, byte[] subject, @Nullable String reason) {
        ended("unwatched", id, subject, reason);
    }

    private void ended(String op, long id, byte[] subject, @Nullable String reason) {
        ObjectNode event = about(op, id, subject);
        if (reason != null) {
            event.put("reason", reason);
        }
    }

    @Override
    public void onTokenToExpire(long afterMillis) {
        event("token-to-expire", NO_ID).put("after", afterMillis);
    }

    @Override
    public void onStale(boolean stale) {
        event("stale", NO_ID).put("stale", stale);
    }

    @Override
    public void onPublished(long id, long epoch, long seq) {
        event("published", id).put("epoch", epoch).put("seq", seq);
    }

    @Override
    public void onGap(byte[] subject, @Nullable Position from, Position to, String reason) {
        ObjectNode event = about("gap", NO_ID, subject).put("to", to.toString()).put("reason", reason);
        if (from != null) {
            event.put("from", from.toString());
        }
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject) {
        ObjectNode event = subject == null ? event("error", id) : about("error", id, subject);
        event.put("code", code).put("reason", reason);
    }

    @Override
    public void onError(long id, String code, String reason, byte @Nullable [] subject, long afterMillis) {
        onError(id, code, reason, subject);
        if (afterMillis > 0) {
            all.getLast().put("after", afterMillis);
        }
    }

    @Override
    public void onReconnect(long afterMillis, String reason) {
        event("reconnect", NO_ID).put("after", afterMillis).put("reason", reason);
    }

    @Override
    public void onPong(long id, long clockMicros) {
        ObjectNode pong = event("pong", id);
        if (clockMicros != ServerEncoding.NO_CLOCK) {
            pong.put("clock", clockMicros);
        }
    }

    @Override
    public void onWatched(long id, byte[] subject, boolean subscribers) {
        about("watched", id, subject).put("subscribers", subscribers);
    }

    @Override
    public void onInterest(byte[] subject, boolean subscribers) {
        about("interest", NO_ID, subject).put("subscribers", subscribers);
    }

    @Override
    public void onBadEvent(String reason) {
        event("bad", NO_ID).put("reason", reason);
    }

    private ObjectNode about(String op, long id, byte[] subject) {
        return event(op, id).put("subject", new String(subject, StandardCharsets.UTF_8));
    }

    private ObjectNode event(String op, long id) {
        ObjectNode event = Vectors.JSON.createObjectNode().put("op", op);
        if (id != NO_ID) {
            event.put("id", id);
        }
        all.add(event);
        return event;
    }
}
