package io.belfry.protocol;

import static io.belfry.protocol.BinaryLayout.*;
import static io.belfry.protocol.CommandHandler.NO_ID;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decodes events in {@code belfry.binary.v1}; decoding a message allocates nothing. Holds the epoch table of its
 * connection, and the headers of its next message; the connections of one loop to one server process may share it if
 * nobody reads headers. Owner: one loop.
 */
public final class BinaryServerEvents implements ServerEventDecoder {
    private static final long UNDECLARED = -1;
    private static final String OUTSIDE = "a position is outside 0..2^53";
    private static final String CUT = "the frame is too short for its fields";

    private final BinaryReader in = new BinaryReader();
    private final MessageView message = new MessageView();
    private long[] epochs = {};

    /** The block of headers of the next message; empty if there is none. */
    private final ByteBuf headers = Unpooled.buffer(0);

    @Override
    public void decode(ByteBuf frame, int offset, int length, ServerEventHandler handler) {
        in.wrap(frame, offset, length);
        int head = in.u8();
        if ((head & MESSAGE) != 0) {
            message(head, handler);
        } else {
            event(head, handler);
        }
    }

    private void message(int head, ServerEventHandler handler) {
        int epochIndex = in.u8();
        long seq = in.u56();
        message.time(in.u48());
        int subjectLength = in.u8();
        message.subject(in.buffer(), in.skip(subjectLength), subjectLength);
        boolean hasPrev = (head & MESSAGE_PREV) != 0;
        long prev = hasPrev ? seq - back(head) : MessageView.NO_PREV;
        int dataLength = in.remaining();
        message.data(in.buffer(), in.skip(dataLength), dataLength);
        if ((head & MESSAGE_HEADERS) != 0) {
            message.headers(headers, 0, headers.writerIndex());
        }
        if (in.failed()) {
            handler.onBadEvent(CUT);
        } else if (epochIndex >= epochs.length || epochs[epochIndex] == UNDECLARED) {
            handler.onBadEvent("a message has the undeclared epoch index " + epochIndex);
        } else if (seq > Position.MAX || (hasPrev && prev < 0)) {
            handler.onBadEvent(OUTSIDE);
        } else {
            message.position(epochs[epochIndex], epochIndex, seq).prev(prev);
            message.type(MessageType.of(head & MESSAGE_TYPE)).retained((head & MESSAGE_RETAINED) != 0);
            message.delta((head & MESSAGE_DELTA) != 0);
            handler.onMessage(message);
        }
        headers.clear();
    }

    private long back(int head) {
        return (head & MESSAGE_FAR_PREV) == 0 ? in.u32() : in.u56();
    }

    private void event(int op, ServerEventHandler handler) {
        int flags = in.u8();
        long id = (flags & HAS_ID) == 0 ? NO_ID : in.i64();
        switch (op) {
            case CONNECT -> connected(flags, id, handler);
            case SUBSCRIBE -> subscribed(flags, id, handler);
            case PUBLISH -> published(id, handler);
            case GAP -> gap(flags, handler);
            case ERROR -> error(flags, id, handler);
            case RECONNECT -> reconnect(handler);
            case PING -> {
                long clockMicros = (flags & PONG_CLOCK) == 0 ? ServerEncoding.NO_CLOCK : in.i64();
                if (whole(handler)) {
                    handler.onPong(id, clockMicros);
                }
            }
            case UNSUBSCRIBE, UNWATCH -> ended(op, flags, id, handler);
            case WATCH, INTEREST -> aboutSubject(op, flags, id, handler);
            case TOKEN_TO_EXPIRE -> {
                long afterMillis = in.u32();
                if (whole(handler)) {
                    handler.onTokenToExpire(afterMillis);
                }
            }
            case STALE -> {
                if (whole(handler)) {
                    handler.onStale((flags & STALE_NOW) != 0);
                }
            }
            case POSITION -> position(flags, handler);
            case HEADERS -> headers(handler);
            case EPOCH -> epoch(handler);
            default -> {
                if (in.failed()) {
                    handler.onBadEvent(CUT);
                }
            }
        }
    }

    private void connected(int flags, long id, ServerEventHandler handler) {
        long pingMillis = in.u32();
        long maxMessage = in.u32();
        String session = text();
        String node = text();
        long keepMillis = (flags & CONNECTED_KEPT) == 0 ? 0 : in.u32();
        if (whole(handler)) {
            handler.onConnected(
                    id,
                    new ConnectedEvent(
                            session,
                            node,
                            pingMillis,
                            (int) Math.min(maxMessage, Integer.MAX_VALUE),
                            keepMillis,
                            (flags & CONNECTED_RESUMED) != 0));
        }
    }

    private void subscribed(int flags, long id, ServerEventHandler handler) {
        byte[] subject = in.bytes(in.u8());
        boolean hasPosition = (flags & SUBSCRIBED_POSITION) != 0;
        long epoch = hasPosition ? in.i64() : 0;
        long seq = hasPosition ? in.i64() : 0;
        Recovery recovery = Recovery.of((flags & SUBSCRIBED_RECOVERY) >> SUBSCRIBED_RECOVERY_SHIFT);
        long conflate = (flags & SUBSCRIBED_CONFLATE) == 0 ? 0 : in.u32();
        int conflateMillis = (int) Math.min(conflate, Integer.MAX_VALUE);
        boolean hasAt = (flags & SUBSCRIBED_AT) != 0;
        PatternPosition at = hasAt ? in.patternPosition() : null;
        if ((flags & SUBSCRIBED_DELTA) != 0) {
            text();
        }
        if (recovery == null) {
            handler.onBadEvent("unknown recovery");
        } else if (!whole(handler) || !fits(epoch, seq, handler)) {
            return;
        } else if (!hasAt) {
            Position position = hasPosition ? new Position(epoch, seq) : null;
            if ((flags & SUBSCRIBED_DELTA) == 0) {
                handler.onSubscribed(id, subject, position, recovery, conflateMillis);
            } else {
                handler.onDeltaSubscribed(id, subject, position, recovery);
            }
        } else if (at == null) {
            handler.onBadEvent(CommandRules.PATTERN_POSITION_RULE);
        } else {
            handler.onPatternSubscribed(id, subject, at, recovery, conflateMillis);
        }
    }

    private void position(int flags, ServerEventHandler handler) {
        byte[] pattern = (flags & POSITION_SUBJECT) == 0 ? null : in.bytes(in.u8());
        PatternPosition at = in.patternPosition();
        if (whole(handler)) {
            if (at == null) {
                handler.onBadEvent(CommandRules.PATTERN_POSITION_RULE);
            } else if (pattern == null) {
                handler.onPosition(at);
            } else {
                handler.onProgress(pattern, at);
            }
        }
    }

    private void published(long id, ServerEventHandler handler) {
        long epoch = in.i64();
        long seq = in.i64();
        if (whole(handler) && fits(epoch, seq, handler)) {
            handler.onPublished(id, epoch, seq);
        }
    }

    private void gap(int flags, ServerEventHandler handler) {
        byte[] subject = in.bytes(in.u8());
        boolean hasFrom = (flags & GAP_FROM) != 0;
        long fromEpoch = hasFrom ? in.i64() : 0;
        long fromSeq = hasFrom ? in.i64() : 0;
        long toEpoch = in.i64();
        long toSeq = in.i64();
        String reason = text();
        if (whole(handler) && fits(fromEpoch, fromSeq, handler) && fits(toEpoch, toSeq, handler)) {
            Position from = hasFrom ? new Position(fromEpoch, fromSeq) : null;
            handler.onGap(subject, from, new Position(toEpoch, toSeq), reason);
        }
    }

    private void error(int flags, long id, ServerEventHandler handler) {
        String code = text();
        byte[] subject = (flags & ERROR_SUBJECT) == 0 ? null : in.bytes(in.u8());
        String reason = text();
        long afterMillis = (flags & ERROR_AFTER) == 0 ? 0 : in.u32();
        if (whole(handler)) {
            handler.onError(id, code, reason, subject, afterMillis);
        }
    }

    private void reconnect(ServerEventHandler handler) {
        long afterMillis = in.u32();
        String reason = text();
        if (whole(handler)) {
            handler.onReconnect(afterMillis, reason);
        }
    }

    private void aboutSubject(int op, int flags, long id, ServerEventHandler handler) {
        byte[] subject = in.bytes(in.u8());
        boolean subscribers = (flags & SUBSCRIBERS) != 0;
        if (!whole(handler)) {
            return;
        }
        if (op == WATCH) {
            handler.onWatched(id, subject, subscribers);
        } else {
            handler.onInterest(subject, subscribers);
        }
    }

    private void ended(int op, int flags, long id, ServerEventHandler handler) {
        byte[] subject = in.bytes(in.u8());
        String reason = (flags & ENDED_REASON) == 0 ? null : text();
        if (!whole(handler)) {
            return;
        }
        if (op == UNSUBSCRIBE) {
            handler.onUnsubscribed(id, subject, reason);
        } else {
            handler.onUnwatched(id, subject, reason);
        }
    }

    private void headers(ServerEventHandler handler) {
        int length = in.u16();
        int pairs = in.skip(length);
        if (!whole(handler)) {
            return;
        }
        headers.clear().writeShort(length).writeBytes(in.buffer(), pairs, length);
        String problem = MessageHeaders.formProblem(headers, 0, headers.writerIndex());
        if (problem != null) {
            headers.clear();
            handler.onBadEvent(problem);
        }
    }

    private void epoch(ServerEventHandler handler) {
        int index = in.u8();
        long epoch = in.i64();
        if (whole(handler) && fits(epoch, 0, handler)) {
            if (index >= epochs.length) {
                int known = epochs.length;
                epochs = Arrays.copyOf(epochs, index + 1);
                Arrays.fill(epochs, known, index, UNDECLARED);
            }
            epochs[index] = epoch;
        }
    }

    private String text() {
        return new String(in.bytes(in.u8()), StandardCharsets.UTF_8);
    }

    /**
     * Returns whether the frame has all known fields; reports the error otherwise. Bytes after the known fields belong
     * to a later version of the event and are ignored.
     */
    private boolean whole(ServerEventHandler handler) {
        if (in.failed()) {
            handler.onBadEvent(CUT);
        }
        return !in.failed();
    }

    private static boolean fits(long epoch, long seq, ServerEventHandler handler) {
        boolean fits = epoch >= 0 && epoch <= Position.MAX && seq >= 0 && seq <= Position.MAX;
        if (!fits) {
            handler.onBadEvent(OUTSIDE);
        }
        return fits;
    }
}
