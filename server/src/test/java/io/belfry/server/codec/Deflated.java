package io.belfry.server.codec;

import java.util.Arrays;
import java.util.zip.Deflater;

/** Compressed messages as clients make them, with the JDK alone. */
final class Deflated {
    private static final int FLUSH_BYTES = 4;

    private Deflated() {}

    /** As nearly all clients do: flushed, and what each flush ends with left out. */
    static byte[] of(byte[] message) {
        byte[] flushed = deflated(message, Deflater.SYNC_FLUSH, false);
        return Arrays.copyOf(flushed, flushed.length - FLUSH_BYTES);
    }

    /** As clients without a flush do: a last block, and a zero behind it (RFC 7692, section 7.2.3.4). */
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
