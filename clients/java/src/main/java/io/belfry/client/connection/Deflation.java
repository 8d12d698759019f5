package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Compresses and inflates WebSocket messages (permessage-deflate, RFC 7692) without context takeover. Messages are
 * independent of each other, so one instance serves all connections of a loop. Owner: the loop.
 */
final class Deflation {
    static final String OFFER = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";

    /** The first reserved bit of a frame, set if the payload is compressed. */
    static final int RSV1 = 0x40;

    /** Smaller messages hardly shrink. */
    private static final int BYTES_MIN = 256;

    /**
     * Messages up to this size are accepted by servers at any compression ratio; larger ones may be subject to
     * {@code Limit.InflateRatio}.
     */
    private static final int FREE_BYTES = 16 << 10;

    /** Below any sensible {@code Limit.InflateRatio}, so that a message is sent uncompressed rather than rejected. */
    private static final int RATIO_MAX = 10;

    /** The bytes that the sender removed from the end of a message: RFC 7692, section 7.2.1. */
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff};

    private final Inflater inflater = new Inflater(true);
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    private ByteBuf room = Unpooled.EMPTY_BUFFER;

    /**
     * Whether the server accepted the offer unchanged. With context takeover, the shared inflater could not decode its
     * messages.
     */
    static boolean isTaken(String extensions) {
        String compact = extensions.replace(" ", "");
        return compact.startsWith("permessage-deflate")
                && compact.contains(";server_no_context_takeover")
                && compact.indexOf(',') < 0;
    }

    /**
     * Inflates a message into a buffer that the caller releases; returns null if the message is invalid or exceeds
     * {@code bytesMax}.
     */
    @Nullable
    ByteBuf inflate(ByteBuf in, int offset, int length, int bytesMax) {
        int first = (int) Math.min(bytesMax, Math.max(BYTES_MIN, 4L * length));
        // One byte more than allowed: a message that fills it is too large.
        ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer(first + 1, bytesMax + 1);
        inflater.reset();
        inflater.setInput(in.nioBuffer(offset, length));
        try {
            if (inflateInto(out)) {
                return out;
            }
        } catch (DataFormatException broken) {
            // Reported like every other invalid message.
        }
        out.release();
        return null;
    }

    private boolean inflateInto(ByteBuf out) throws DataFormatException {
        boolean inTail = false;
        while (true) {
            int bytes = inflater.inflate(out.internalNioBuffer(out.writerIndex(), out.writableBytes()));
            out.writerIndex(out.writerIndex() + bytes);
            if (out.maxWritableBytes() == 0) {
                return false;
            }
            if (!out.isWritable()) {
                out.ensureWritable(Math.min(out.capacity(), out.maxCapacity() - out.capacity()));
            } else if (inflater.finished() || (bytes == 0 && inTail)) {
                return true;
            } else if (inflater.needsInput() && !inTail) {
                inTail = true;
                inflater.setInput(TAIL);
            } else if (bytes == 0) {
                return false;
            }
        }
    }

    /**
     * Compresses a payload; the result is valid until the next call. Returns null if the payload is to be sent
     * uncompressed.
     */
    @Nullable
    ByteBuf deflate(ByteBuf payload) {
        int length = payload.readableBytes();
        if (length < BYTES_MIN) {
            return null;
        }
        if (room.capacity() < length) {
            room.release();
            room = Unpooled.directBuffer(length);
        }
        deflater.reset();
        deflater.setInput(payload.nioBuffer());
        int bytes = deflater.deflate(room.internalNioBuffer(0, length), Deflater.SYNC_FLUSH) - TAIL.length;
        boolean isWhole = bytes + TAIL.length < length;
        boolean isWelcome = length <= FREE_BYTES || length <= (long) RATIO_MAX * bytes;
        return isWhole && isWelcome ? room.setIndex(0, bytes) : null;
    }

    void release() {
        inflater.end();
        deflater.end();
        room.release();
    }
}
