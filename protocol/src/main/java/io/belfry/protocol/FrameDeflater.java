package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.zip.Deflater;

/**
 * Compresses WebSocket frames (permessage-deflate, RFC 7692) without context takeover: what one message becomes depends on
 * nothing before it, so it is compressed once for all who get it, and no session has a compressor of its own.
 *
 * <p>Owner: one loop, which ends it with {@link #release}. It holds about 256 KB outside the heap.
 */
public final class FrameDeflater {
    private static final int RSV1 = 0x40;

    /** The end of each flush, which the receiver puts back: RFC 7692, section 7.2.1. */
    private static final int FLUSH_BYTES = 4;

    private static final int NOT_SMALLER = -1;
    private static final int ROOM_BYTES = 1 << 14;
    private static final int ROOM_BYTES_KEPT = 1 << 18;

    private final int bytesMin;

    // Better levels save little on messages of some hundred bytes and cost twice as much from 2 KB on.
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    private ByteBuf room = Unpooled.directBuffer(ROOM_BYTES);

    /** Payloads below {@code bytesMin} stay as they are: they hardly shrink, and each costs some microseconds. */
    public FrameDeflater(int bytesMin) {
        this.bytesMin = bytesMin;
    }

    /**
     * What was written from {@code start} on is one whole data frame. Puts the compressed one in its place where that is
     * smaller; answers how many bytes were saved.
     */
    public int deflate(ByteBuf out, int start) {
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

    /** The length of the compressed payload, which lies in the room. */
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

    /** Gives back what lies outside the heap. */
    public void release() {
        deflater.end();
        room.release();
    }
}
