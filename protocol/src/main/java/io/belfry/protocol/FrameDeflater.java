package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.Deflater;

/**
 * Compresses WebSocket frames with permessage-deflate (RFC 7692) without context takeover. A compressed message does
 * not depend on earlier ones, so it is compressed once for all receivers, and sessions need no compressor of their own.
 *
 * <p>Owner: one loop, which calls {@link #release} at its end. Holds about 256 KB outside the heap.
 */
public final class FrameDeflater {
    private static final int RSV1 = 0x40;

    /** The end of each flush, which the receiver appends before it inflates: RFC 7692, section 7.2.1. */
    private static final int FLUSH_BYTES = 4;

    private static final int NOT_SMALLER = -1;
    private static final int ROOM_BYTES = 1 << 14;
    private static final int ROOM_BYTES_KEPT = 1 << 18;

    private final int bytesMin;

    // Higher levels reduce messages of some hundred bytes only slightly, and take twice the time from 2 KB on.
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    private ByteBuf room = Unpooled.directBuffer(ROOM_BYTES);

    /**
     * Creates a compressor that leaves payloads below {@code bytesMin} uncompressed: small payloads hardly shrink, and
     * each takes some microseconds.
     */
    public FrameDeflater(int bytesMin) {
        this.bytesMin = bytesMin;
    }

    /**
     * Compresses the last of the data frames that were written from {@code from} to the end of {@code out}, if that makes
     * it smaller; a frame before it has the headers of a message. Returns the number of bytes saved, or 0 if the frame is
     * unchanged.
     */
    public int deflate(ByteBuf out, int from) {
        int start = Framing.lastFrame(out, from);
        int payload = start + Framing.headerLength(out, start);
        int length = out.writerIndex() - payload;
        int deflated = length < bytesMin ? NOT_SMALLER : deflated(out, payload, length);
        if (deflated == NOT_SMALLER) {
            return 0;
        }
        int end = out.writerIndex();
        int first = out.getByte(start) | RSV1;
        Framing.writeHeader(out.writerIndex(start), first, deflated);
        out.writeBytes(room, 0, deflated);
        return end - out.writerIndex();
    }

    /** Compresses into {@code room} and returns the compressed length, or NOT_SMALLER. */
    private int deflated(ByteBuf in, int offset, int length) {
        makeRoom(length);
        deflater.reset();
        deflater.setInput(in.nioBuffer(offset, length));
        int bytes = deflater.deflate(room.internalNioBuffer(0, length), Deflater.SYNC_FLUSH);
        return bytes == length ? NOT_SMALLER : bytes - FLUSH_BYTES;
    }

    private void makeRoom(int bytes) {
        boolean isOutgrown = room.capacity() > ROOM_BYTES_KEPT && bytes <= ROOM_BYTES_KEPT;
        if (isOutgrown || room.capacity() < bytes) {
            room.release();
            room = Unpooled.directBuffer(Math.max(ROOM_BYTES, bytes));
        }
    }

    /** Releases the memory outside the heap. */
    public void release() {
        deflater.end();
        room.release();
    }
}
