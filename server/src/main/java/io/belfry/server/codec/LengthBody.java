package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * Reads a body with a declared length; copies nothing if one read contains the whole body. Owner: the connection's
 * loop.
 */
final class LengthBody implements HttpBody {
    private final long lengthBytes;
    private final int bytesMax;
    private final int firstBytesMax;
    private ByteBuf content = Unpooled.EMPTY_BUFFER;

    LengthBody(long lengthBytes, int bytesMax, int firstBytesMax) {
        this.lengthBytes = lengthBytes;
        this.bytesMax = bytesMax;
        this.firstBytesMax = firstBytesMax;
    }

    @Override
    public BodyResult read(ByteBuf in) {
        if (lengthBytes > bytesMax) {
            return Refusal.of(Code.MESSAGE_TOO_LARGE, "the body exceeds " + bytesMax + " bytes");
        }
        int missing = (int) lengthBytes - content.readableBytes();
        if (missing == 0) {
            return new BodyResult.Complete(content);
        }
        if (missing == lengthBytes && in.readableBytes() >= missing) {
            content = in.readRetainedSlice(missing);
            return new BodyResult.Complete(content);
        }
        return append(in, Math.min(missing, in.readableBytes()));
    }

    private BodyResult append(ByteBuf in, int bytes) {
        if (bytes > 0) {
            if (!content.isReadable()) {
                content = in.alloc().buffer((int) Math.min(lengthBytes, firstBytesMax), (int) lengthBytes);
            }
            content.writeBytes(in, bytes);
        }
        return content.readableBytes() == lengthBytes ? new BodyResult.Complete(content) : BodyResult.NeedMore.INSTANCE;
    }

    @Override
    public int heldBytes() {
        return content.capacity();
    }

    @Override
    public void release() {
        content.release();
        content = Unpooled.EMPTY_BUFFER;
    }
}
