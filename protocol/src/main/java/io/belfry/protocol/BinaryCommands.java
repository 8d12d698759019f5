package io.belfry.protocol;

import static io.belfry.protocol.BinaryLayout.*;
import static io.belfry.protocol.CommandHandler.ID_MAX;
import static io.belfry.protocol.CommandHandler.NO_ID;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes commands in {@code belfry.binary.v1}; decoding a publish allocates nothing. Owner: one loop, whose
 * connections share the decoder.
 */
public final class BinaryCommands implements CommandDecoder {
    private static final String CUT = "the frame is too short for its fields";

    private final PublishRequest publish = new PublishRequest();
    private final BinaryReader in = new BinaryReader();

    @Override
    public void decode(ByteBuf frame, int offset, int length, CommandHandler handler) {
        in.wrap(frame, offset, length);
        int op = in.u8();
        int flags = in.u8();
        long id = (flags & HAS_ID) == 0 ? NO_ID : in.i64();
        if (in.failed()) {
            handler.onBadCommand(NO_ID, Code.BAD_FRAME, CUT);
        } else if ((flags & HAS_ID) != 0 && (id < -ID_MAX || id > ID_MAX)) {
            handler.onBadCommand(NO_ID, Code.BAD_REQUEST, CommandRules.ID_RULE);
        } else {
            command(op, flags & ~HAS_ID, id, handler);
        }
    }

    private void command(int op, int flags, long id, CommandHandler handler) {
        switch (op) {
            case PUBLISH -> publish(flags, id, handler);
            case SUBSCRIBE -> subscribe(flags, id, handler);
            case UNSUBSCRIBE -> unsubscribe(flags, id, handler);
            case PING -> {
                if (whole(flags, 0, id, handler)) {
                    handler.onPing(id);
                }
            }
            case CONNECT -> connect(flags, id, handler);
            case WATCH, UNWATCH -> watch(op, flags, id, handler);
            default -> handler.onBadCommand(id, Code.UNKNOWN_OP, "unknown op " + op);
        }
    }

    private void publish(int flags, long id, CommandHandler handler) {
        int subjectLength = in.u8();
        int subjectOffset = in.skip(subjectLength);
        publish.start(id, in.buffer(), (flags & PUBLISH_RETAIN) != 0).subject(subjectOffset, subjectLength);
        if ((flags & PUBLISH_MSG_ID) != 0) {
            int msgIdLength = in.u8();
            publish.msgId(in.skip(msgIdLength), msgIdLength);
        }
        if ((flags & PUBLISH_HEADERS) != 0) {
            int pairsLength = in.u16();
            int pairs = in.skip(pairsLength);
            publish.headers(
                    pairs - MessageHeaders.LENGTH_BYTES,
                    pairsLength == 0 ? 0 : MessageHeaders.LENGTH_BYTES + pairsLength);
        }
        if ((flags & PUBLISH_TTL) != 0) {
            publish.ttl(in.i64());
        }
        if ((flags & PUBLISH_ORIGIN) != 0) {
            int originLength = in.u8();
            publish.origin(in.skip(originLength), originLength);
        }
        int dataLength = in.remaining();
        publish.data(in.skip(dataLength), dataLength);
        if (whole(flags, PUBLISH_FLAGS, id, handler)) {
            CommandRules.publish(publish, (flags & PUBLISH_MSG_ID) != 0, handler);
        }
    }

    private void subscribe(int flags, long id, CommandHandler handler) {
        long epoch = (flags & SUBSCRIBE_FROM) == 0 ? 0 : in.i64();
        long seq = (flags & SUBSCRIBE_FROM) == 0 ? 0 : in.i64();
        long history = (flags & SUBSCRIBE_HISTORY) == 0 ? 0 : in.u32();
        long conflateMillis = (flags & SUBSCRIBE_CONFLATE) == 0 ? 0 : in.u32();
        boolean ofPattern = (flags & SUBSCRIBE_PATTERN_FROM) != 0;
        PatternPosition patternFrom = ofPattern ? in.patternPosition() : null;
        String delta = (flags & SUBSCRIBE_DELTA) == 0 ? null : text(in.u8());
        List<byte[]> subjects = subjects();
        if (!whole(flags, SUBSCRIBE_FLAGS, id, handler)) {
            return;
        }
        if (ofPattern && (flags & SUBSCRIBE_FROM) != 0) {
            handler.onBadCommand(
                    id, Code.BAD_REQUEST, "a position of a subject and one of patterns exclude each other");
        } else if (!isPosition(epoch, seq)) {
            handler.onBadCommand(id, Code.BAD_POSITION, CommandRules.POSITION_RULE);
        } else if (ofPattern && patternFrom == null) {
            handler.onBadCommand(id, Code.BAD_POSITION, CommandRules.PATTERN_POSITION_RULE);
        } else {
            Position from = (flags & SUBSCRIBE_FROM) == 0 ? null : new Position(epoch, seq);
            CommandRules.subscribe(id, subjects, from, patternFrom, history, conflateMillis, delta, handler);
        }
    }

    private void unsubscribe(int flags, long id, CommandHandler handler) {
        List<byte[]> subjects = subjects();
        if (whole(flags, 0, id, handler)) {
            CommandRules.unsubscribe(id, subjects, handler);
        }
    }

    private void watch(int op, int flags, long id, CommandHandler handler) {
        byte[] subject = in.bytes(in.u8());
        if (whole(flags, 0, id, handler)) {
            CommandRules.watch(id, subject, op == WATCH, handler);
        }
    }

    private void connect(int flags, long id, CommandHandler handler) {
        long pingMillis = (flags & CONNECT_PING) != 0 ? in.u32() : CommandRules.NO_PING;
        String token = text(in.u16());
        String session = (flags & CONNECT_SESSION) == 0 ? null : text(in.u8());
        List<SubjectPosition> received = (flags & CONNECT_POSITIONS) == 0 ? List.of() : positions();
        String client = (flags & CONNECT_CLIENT) == 0 ? null : text(in.u8());
        if (!whole(flags, CONNECT_PING | CONNECT_SESSION | CONNECT_POSITIONS | CONNECT_CLIENT, id, handler)) {
            return;
        }
        if (token == null
                || ((flags & CONNECT_SESSION) != 0 && session == null)
                || ((flags & CONNECT_CLIENT) != 0 && client == null)) {
            handler.onBadCommand(id, Code.BAD_UTF8, "a token, a session or a client must be UTF-8");
        } else if (received == null) {
            handler.onBadCommand(id, Code.BAD_POSITION, CommandRules.POSITION_RULE);
        } else {
            CommandRules.connect(id, token.isEmpty() ? null : token, pingMillis, session, received, client, handler);
        }
    }

    /** Reads a text of this many bytes; returns null if it is not UTF-8. */
    private @Nullable String text(int length) {
        byte[] bytes = in.bytes(length);
        return Utf8.valid(in.buffer(), in.index() - bytes.length, bytes.length)
                ? new String(bytes, StandardCharsets.UTF_8)
                : null;
    }

    /** Reads a list of subjects with positions; returns null if one of them is not a position. */
    private @Nullable List<SubjectPosition> positions() {
        int count = in.u16();
        List<SubjectPosition> positions = new ArrayList<>();
        boolean valid = true;
        for (int i = 0; i < count && !in.failed(); i++) {
            byte[] subject = in.bytes(in.u8());
            long epoch = in.i64();
            long seq = in.i64();
            if (!isPosition(epoch, seq)) {
                valid = false;
            } else if (positions.size() <= CommandRules.SUBJECTS_MAX) {
                positions.add(new SubjectPosition(subject, new Position(epoch, seq)));
            }
        }
        return valid ? positions : null;
    }

    private static boolean isPosition(long epoch, long seq) {
        return epoch >= 0 && epoch <= Position.MAX && seq >= 0 && seq <= Position.MAX;
    }

    /**
     * Reads a list of subjects. The list grows with the subjects present in the frame, not with the count, which a
     * client chooses freely.
     */
    private List<byte[]> subjects() {
        int count = in.u16();
        List<byte[]> subjects = new ArrayList<>();
        for (int i = 0; i < count && !in.failed(); i++) {
            byte[] subject = in.bytes(in.u8());
            if (subjects.size() <= CommandRules.SUBJECTS_MAX) {
                subjects.add(subject);
            }
        }
        return subjects;
    }

    /**
     * Returns true if the fields fill the frame exactly and {@code flags} has no flag unknown to the op; reports the
     * error otherwise.
     */
    private boolean whole(int flags, int known, long id, CommandHandler handler) {
        if (in.failed()) {
            handler.onBadCommand(id, Code.BAD_FRAME, CUT);
        } else if (in.remaining() > 0) {
            handler.onBadCommand(id, Code.BAD_FRAME, "the frame has bytes after its fields");
        } else if ((flags & ~known) != 0) {
            handler.onBadCommand(id, Code.BAD_FRAME, "the op has no such flag");
        } else {
            return true;
        }
        return false;
    }
}
