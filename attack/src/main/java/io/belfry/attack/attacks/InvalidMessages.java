package io.belfry.attack.attacks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * WebSocket messages that the server must refuse. A frame that breaks RFC 6455 must end its session with a matching close
 * code. A command that is expensive to parse or invalid must be answered with an error or the end of the session. Pure.
 */
final class InvalidMessages {
    private static final Set<Integer> CLOSE_CODES = Set.of(1002, 1003, 1007, 1009);
    private static final double PER_SECOND = 50;
    private static final int FRAGMENTS = 100_000;
    private static final int FRAGMENTS_PER_WRITE = 500;

    private static final byte[] DATA = "{\"op\":\"ping\",\"id\":1}".getBytes(StandardCharsets.US_ASCII);
    private static final int FIN = AttackFrames.FIN;
    private static final int TEXT = FIN | AttackFrames.TEXT;
    private static final int PING = FIN | AttackFrames.PING;
    private static final int CLOSE = FIN | AttackFrames.CLOSE;

    private static final String ID = "\"id\":4711";
    private static final int DEEP = 20_000;
    private static final int LONG = 40_000;

    private InvalidMessages() {}

    static void longLengths(AttackContext context) throws IOException {
        Map<String, byte[]> frames = new LinkedHashMap<>();
        long tooLong = context.settings().maxFrameBytes() + 1;
        for (long length : new long[] {
            tooLong, Integer.MAX_VALUE, 1L << 31, (1L << 32) - 1, 1L << 32, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, -1
        }) {
            String hex = "0x" + Long.toHexString(length) + " bytes";
            frames.put("text of " + hex, AttackFrames.announcing(TEXT, length));
            frames.put("a first fragment of " + hex, AttackFrames.announcing(AttackFrames.TEXT, length));
            frames.put("a ping of " + hex, AttackFrames.announcing(PING, length));
        }
        frames.put("a length in more bytes than needed", AttackFrames.announcing(TEXT, 5));
        run(context, frames);
    }

    static void unmasked(AttackContext context) throws IOException {
        Map<String, byte[]> frames = new LinkedHashMap<>();
        frames.put("text without a mask", AttackFrames.unmasked(TEXT, DATA));
        frames.put("a ping without a mask", AttackFrames.unmasked(PING, DATA));
        frames.put("a close without a mask", AttackFrames.unmasked(CLOSE, new byte[] {3, (byte) 0xE8}));
        frames.put("the second reserved bit", AttackFrames.frame(TEXT | 0x20, DATA));
        frames.put("the third reserved bit", AttackFrames.frame(TEXT | 0x10, DATA));
        frames.put("the opcode 3", AttackFrames.frame(FIN | 0x3, DATA));
        frames.put("the opcode 15", AttackFrames.frame(FIN | 0xF, DATA));
        frames.put("a fragmented ping", AttackFrames.frame(AttackFrames.PING, DATA));
        frames.put("a ping of 126 bytes", AttackFrames.frame(PING, new byte[126]));
        frames.put("a continuation without a start", AttackFrames.frame(FIN | AttackFrames.CONTINUATION, DATA));
        frames.put("a close with half a code", AttackFrames.frame(CLOSE, new byte[] {3}));
        frames.put("a close with the code 1005", AttackFrames.frame(CLOSE, new byte[] {3, (byte) 0xED}));
        frames.put("invalid UTF-8", AttackFrames.frame(TEXT, new byte[] {'{', (byte) 0xC3, 0x28, '}'}));
        frames.put("an overlong slash", AttackFrames.frame(TEXT, new byte[] {(byte) 0xC0, (byte) 0xAF}));
        frames.put("binary in a text session", AttackFrames.frame(FIN | AttackFrames.BINARY, DATA));
        run(context, frames);
    }

    private static void run(AttackContext context, Map<String, byte[]> frames) throws IOException {
        AttackRate rate = context.rate(PER_SECOND);
        for (Map.Entry<String, byte[]> each : frames.entrySet()) {
            rate.next();
            send(context, each.getKey(), each.getValue());
        }
        context.note(frames.size() + " frames, each ended its session");
    }

    private static void send(AttackContext context, String what, byte[] frame) throws IOException {
        try (AttackConnection session = context.session()) {
            session.send(frame);
            // A response to this command would prove that the server continued after the invalid frame.
            session.sendCommand("{\"op\":\"ping\"," + ID + "}");
            boolean ended = session.awaitEnd(context.timeout());
            boolean closeCode =
                    CLOSE_CODES.contains(AttackFrames.closeCode(session.bytes()).orElse(0));
            if (session.text().contains(ID)) {
                context.fault("after " + what + " the session continued");
            } else if (!ended) {
                context.fault(what + " did not end the session");
            } else if (!closeCode && !session.text().isEmpty()) {
                context.fault(what + " ended the session without a matching close code");
            }
        }
    }

    static void tinyFragments(AttackContext context) throws IOException {
        int sessions = 0;
        do {
            fragments(context, new byte[0], "empty fragments");
            fragments(context, new byte[] {' '}, "fragments of one byte");
            sessions += 2;
            AttackContext.pause(Duration.ofMillis(100));
        } while (context.hasTimeLeft());
        context.note(sessions + " sessions");
    }

    private static void fragments(AttackContext context, byte[] payload, String what) throws IOException {
        byte[] fragment = AttackFrames.frame(AttackFrames.CONTINUATION, payload);
        byte[] many = AttackFrames.repeated(fragment, FRAGMENTS_PER_WRITE);
        try (AttackConnection session = context.session()) {
            session.send(AttackFrames.frame(AttackFrames.TEXT, new byte[] {'{'}));
            for (int sent = 0; sent < FRAGMENTS; sent += FRAGMENTS_PER_WRITE) {
                if (!session.send(many) || session.poll().isEnded()) {
                    return;
                }
            }
            if (!session.awaitEnd(Duration.ofSeconds(1))) {
                context.fault(FRAGMENTS + " " + what + " of one message were accepted");
            }
        }
    }

    static void json(AttackContext context) throws IOException {
        AttackRate rate = context.rate(PER_SECOND);
        Map<String, String> bombs = bombs();
        for (Map.Entry<String, String> bomb : bombs.entrySet()) {
            rate.next();
            try (AttackConnection session = context.session()) {
                session.sendCommand(bomb.getValue());
                boolean answered = session.await(context.timeout(), text -> text.contains("\"op\":"));
                if (session.text().contains("\"op\":\"pong\"") && session.text().contains(ID)) {
                    context.fault(bomb.getKey() + ": accepted as a command");
                } else if (!answered) {
                    context.fault(bomb.getKey() + ": no response");
                }
            }
        }
        context.note(bombs.size() + " commands refused");
    }

    private static Map<String, String> bombs() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("deeply nested arrays", ping("\"x\":" + "[".repeat(DEEP) + "]".repeat(DEEP)));
        all.put("deeply nested objects", ping("\"x\":" + "{\"a\":".repeat(DEEP / 2) + "1" + "}".repeat(DEEP / 2)));
        all.put("arrays that are not closed", "{\"op\":\"ping\",\"id\":4711,\"x\":" + "[".repeat(DEEP));
        all.put("a number of many digits", ping("\"x\":" + "9".repeat(LONG)));
        all.put("a fraction of many digits", ping("\"x\":0." + "9".repeat(LONG)));
        all.put("an exponent of many digits", ping("\"x\":1e" + "9".repeat(LONG)));
        all.put("a name of many characters", ping("\"" + "n".repeat(LONG) + "\":1"));
        all.put("a duplicate name", ping("\"id\":4712"));
        all.put("an unknown duplicate name", ping("\"x\":1,\"x\":2"));
        all.put("two objects", ping("\"x\":1") + ping("\"x\":1"));
        all.put("NaN", ping("\"x\":NaN"));
        all.put("half a surrogate pair", ping("\"x\":\"\\uD800\"") + "x");
        all.put("a comment", "{/* */\"op\":\"ping\",\"id\":4711}");
        all.put("single quotes", "{'op':'ping','id':4711}");
        all.put("a control character", "{\"op\":\"ping\",\"id\":4711,\"x\":\"\u0001\"}");
        all.put("a byte order mark", "\uFEFF{\"op\":\"ping\",\"id\":4711}");
        return all;
    }

    private static String ping(String member) {
        return "{\"op\":\"ping\",\"id\":4711," + member + "}";
    }
}
