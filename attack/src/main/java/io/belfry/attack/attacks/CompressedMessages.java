package io.belfry.attack.attacks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.Deflater;

/** Compressed messages that inflate to many times their size. Pure. */
final class CompressedMessages {
    private static final String EXTENSION = "Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover";

    /** Size of the empty block that RFC 7692 removes from the end of each message. */
    private static final int TAIL_BYTES = 4;

    private CompressedMessages() {}

    static void bomb(AttackContext context) throws IOException {
        run(context, 64 << 20, true, 5);
    }

    static void ratio(AttackContext context) throws IOException {
        run(context, 50 << 10, false, 1000);
    }

    /** If {@code mustEnd}, the server must end the session; otherwise it may also accept the message. */
    private static void run(AttackContext context, int plainBytes, boolean mustEnd, double perSecond)
            throws IOException {
        byte[] frame =
                AttackFrames.frame(AttackFrames.FIN | AttackFrames.RSV1 | AttackFrames.TEXT, deflated(plainBytes));
        int ended = 0;
        AttackRate rate = context.rate(perSecond);
        int sent = 0;
        AttackConnection session = open(context);
        try {
            do {
                boolean accepted = session.send(frame);
                sent++;
                boolean over = mustEnd
                        ? session.awaitEnd(context.timeout())
                        : !accepted || session.poll().isEnded();
                if (over) {
                    ended++;
                    session.close();
                    session = open(context);
                } else if (mustEnd) {
                    context.fault("a message of " + frame.length + " bytes that inflates to " + plainBytes
                            + " did not end its session");
                }
            } while (rate.next());
        } finally {
            session.close();
        }
        context.note(sent + " messages of " + frame.length + " bytes, " + ended + " ended their session");
    }

    private static AttackConnection open(AttackContext context) throws IOException {
        AttackConnection session = context.target().open();
        session.send(context.requests().upgrade(EXTENSION));
        session.awaitHead(context.timeout());
        if (!session.text().contains("permessage-deflate")) {
            context.fault("Compression is on, but the server did not accept permessage-deflate");
        }
        session.forget();
        return session;
    }

    /** Returns a ping command, padded to this size, as deflate without the tail. */
    static byte[] deflated(int plainBytes) {
        byte[] head = "{\"op\":\"ping\",\"id\":1,\"pad\":\"".getBytes(StandardCharsets.US_ASCII);
        byte[] plain = Arrays.copyOf(head, plainBytes);
        Arrays.fill(plain, head.length, plainBytes - 2, (byte) 'a');
        plain[plainBytes - 2] = '"';
        plain[plainBytes - 1] = '}';
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        try {
            deflater.setInput(plain);
            // Repeated letters shrink to about a thousandth, so this is room enough for one call.
            byte[] out = new byte[plainBytes / 100 + 100];
            int count = deflater.deflate(out, 0, out.length, Deflater.SYNC_FLUSH);
            return Arrays.copyOf(out, count - TAIL_BYTES);
        } finally {
            deflater.end();
        }
    }
}
