package io.belfry.attack.attacks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** WebSocket frames that break RFC 6455; each must end its session, with a matching close code. Pure. */
final class InvalidFrames {
    private static final Set<Integer> CLOSE_CODES = Set.of(1002, 1003, 1007, 1009);
    private static final double PER_SECOND = 50;
    private static final int FRAGMENTS = 100_000;
    private static final int FRAGMENTS_PER_WRITE = 500;

    private static final byte[] DATA = "{\"op\":\"ping\",\"id\":1}".getBytes(StandardCharsets.US_ASCII);
    private static final int FIN = AttackFrames.FIN;
    private static final int TEXT = FIN | AttackFrames.TEXT;
    private static final int PING = FIN | AttackFrames.PING;
    private static final int CLOSE = FIN | AttackFrames.CLOSE;

    private InvalidFrames() {}

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
            session.sendCommand("{\"op\":\"ping\",\"id\":4711}");
            boolean ended = session.awaitEnd(context.timeout());
            boolean closeCode =
                    CLOSE_CODES.contains(AttackFrames.closeCode(session.bytes()).orElse(0));
            if (session.text().contains("\"id\":4711")) {
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
}
