package io.belfry.server.codec;

import java.util.Arrays;
import java.util.zip.Deflater;

/** Compresses messages as clients do, with the JDK alone. */
final class Deflated {
    private static final int FLUSH_BYTES = 4;

    private Deflated() {}

    /** Compresses with a flush and without its last four bytes, as nearly all clients do. */
    static byte[] of(byte[] message) {
        byte[] flushed = deflated(message, Deflater.SYNC_FLUSH, false);
        return Arrays.copyOf(flushed, flushed.length - FLUSH_BYTES);
    }

    /**
     * Compresses into a final block followed by a zero byte, as clients without a flush do (RFC 7692, section
     * 7.2.3.4).
     */
    static byte[] inLastBlock(byte[] message) {
        byte[] finished = deflated(message, Deflater.NO_FLUSH, true);
        return Arrays.copyOf(finished, finished.length + 1);
    }

    private static byte[] deflated(byte[] message, int flush, boolean finish) {
        Deflater deflater = new Deflater(Deflater.BEST_COMPRESSION, true);
        deflater.setInput(message);
        if (finish) {
            deflater.finish();
        }
        byte[] room = new byte[message.length + 1024];
        int length = deflater.deflate(room, 0, room.length, flush);
        deflater.end();
        return Arrays.copyOf(room, length);
    }
}
