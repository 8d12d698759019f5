package io.belfry.attack.attacks;

import io.belfry.attack.server.Facts;
import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Frames that break RFC 6455, each on a session of its own that must end with a fitting close code. Immutable. */
record BrokenFrames(String name, String sentence, Function<Facts, Map<String, byte[]>> frames) implements Attack {
    private static final Set<Integer> FITTING = Set.of(1002, 1003, 1007, 1009);
    private static final double PER_SECOND = 50;
    private static final byte[] PING = "{\"op\":\"ping\",\"id\":1}".getBytes(StandardCharsets.US_ASCII);

    static BrokenFrames longLengths() {
        return new BrokenFrames(
                "long-lengths",
                "frames that announce more than they may, up to 2^63 and beyond",
                facts -> lengths(facts.maxFrameBytes() + 1));
    }

    static BrokenFrames unmasked() {
        return new BrokenFrames(
                "unmasked-frames",
                "frames without a mask, with reserved bits or opcodes, cut control frames, text that is not UTF-8",
                facts -> broken());
    }

    private static Map<String, byte[]> lengths(long tooLong) {
        Map<String, byte[]> all = new LinkedHashMap<>();
        for (long length : new long[] {
            tooLong, Integer.MAX_VALUE, 1L << 31, (1L << 32) - 1, 1L << 32, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, -1
        }) {
            String hex = "0x" + Long.toHexString(length);
            all.put("text of " + hex, Frames.announcing(Frames.FIN | Frames.TEXT, length));
            all.put("a first fragment of " + hex, Frames.announcing(Frames.TEXT, length));
            all.put("a ping of " + hex, Frames.announcing(Frames.FIN | Frames.PING, length));
        }
        all.put("a length in more bytes than it needs", Frames.announcing(Frames.FIN | Frames.TEXT, 5));
        return all;
    }

    private static Map<String, byte[]> broken() {
        Map<String, byte[]> all = new LinkedHashMap<>();
        all.put("text without a mask", Frames.unmasked(Frames.FIN | Frames.TEXT, PING));
        all.put("a ping without a mask", Frames.unmasked(Frames.FIN | Frames.PING, PING));
        all.put("a close without a mask", Frames.unmasked(Frames.FIN | Frames.CLOSE, new byte[] {3, (byte) 0xE8}));
        all.put("the second reserved bit", Frames.frame(Frames.FIN | 0x20 | Frames.TEXT, PING));
        all.put("the third reserved bit", Frames.frame(Frames.FIN | 0x10 | Frames.TEXT, PING));
        all.put("the opcode 3", Frames.frame(Frames.FIN | 0x3, PING));
        all.put("the opcode 15", Frames.frame(Frames.FIN | 0xF, PING));
        all.put("a ping in pieces", Frames.frame(Frames.PING, PING));
        all.put("a ping of 126 bytes", Frames.frame(Frames.FIN | Frames.PING, new byte[126]));
        all.put("a continuation of nothing", Frames.frame(Frames.FIN | Frames.CONTINUATION, PING));
        all.put("a close with half a code", Frames.frame(Frames.FIN | Frames.CLOSE, new byte[] {3}));
        all.put("a close with the code 1005", Frames.frame(Frames.FIN | Frames.CLOSE, new byte[] {3, (byte) 0xED}));
        all.put("text that is not UTF-8", Frames.frame(Frames.FIN | Frames.TEXT, new byte[] {'{', (byte) 0xC3, 0x28, '}'
        }));
        all.put("an overlong slash", Frames.frame(Frames.FIN | Frames.TEXT, new byte[] {(byte) 0xC0, (byte) 0xAF}));
        all.put("binary where text was agreed", Frames.frame(Frames.FIN | Frames.BINARY, PING));
        return all;
    }

    @Override
    public void run(Field field) throws IOException {
        Map<String, byte[]> all = frames.apply(field.facts());
        int sent = 0;
        Pace pace = field.pace(PER_SECOND);
        for (Map.Entry<String, byte[]> each : all.entrySet()) {
            pace.next();
            send(field, each.getKey(), each.getValue());
            sent++;
        }
        field.did(sent + " frames, each ended its session");
    }

    private static void send(Field field, String what, byte[] frame) throws IOException {
        try (Wire wire = field.session()) {
            wire.send(frame);
            // What follows must not count as a command, whatever the server makes of the frame.
            wire.send(Frames.text("{\"op\":\"ping\",\"id\":4711}"));
            boolean ended = wire.awaitEnd(field.patience());
            boolean close = Frames.of(wire.bytes()).stream()
                    .anyMatch(came -> came.opcode() == Frames.CLOSE && FITTING.contains(came.closeCode()));
            if (wire.text().contains("\"id\":4711")) {
                field.gaveWay("after " + what + " the session went on");
            } else if (!ended) {
                field.gaveWay(what + " did not end the session");
            } else if (!close && !wire.text().isEmpty()) {
                field.gaveWay(what + " ended the session without a fitting close code");
            }
        }
    }
}
