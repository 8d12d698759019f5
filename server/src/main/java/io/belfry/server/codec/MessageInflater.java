package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Inflates the messages of permessage-deflate without context takeover (RFC 7692). Messages are independent of each
 * other, so one inflater serves all connections of a loop, one complete message at a time. The output is bounded
 * while it is produced: a message that would become larger costs no more memory than the bound.
 *
 * <p>Owner: one loop.
 */
public final class MessageInflater {
    /**
     * Size to which any message may be inflated regardless of the ratio: repeated characters compress to very few
     * bytes.
     */
    static final int FREE_BYTES = 16 * 1024;

    private static final int FIRST_BYTES_MIN = 256;

    /**
     * The bytes that the sender removed from the end of the message (section 7.2.2), followed by an empty last block.
     * The inflater reads that block only if the message ended with a complete block.
     */
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff, 1, 0, 0, (byte) 0xff, (byte) 0xff};

    /** Number of unread bytes of the tail if the message already contained its own last block. */
    private static final int LAST_BLOCK_BYTES = 5;

    private final int ratioMax;
    private final Inflater inflater = new Inflater(true);
    private Code fault = Code.BAD_DEFLATE;

    /** Sets the maximum ratio of inflated to compressed size; 0 disables it, and only the bound on the size applies. */
    public MessageInflater(int ratioMax) {
        this.ratioMax = ratioMax;
    }

    /**
     * Returns the complete message, which the caller releases; null if it breaks a rule or bound, see {@link #fault}.
     */
    @Nullable
    ByteBuf inflate(ByteBuf in, int offset, int length, int bytesMax) {
        int allowed =
                ratioMax == 0 ? bytesMax : (int) Math.min(bytesMax, Math.max(FREE_BYTES, (long) length * ratioMax));
        int first = (int) Math.min(allowed, Math.max(FIRST_BYTES_MIN, 4L * length));
        ByteBuf out = in.alloc().directBuffer(first + 1, allowed + 1);
        inflater.reset();
        inflater.setInput(in.nioBuffer(offset, length));
        Code found = allowed < bytesMax ? Code.INFLATE_RATIO : Code.MESSAGE_TOO_LARGE;
        try {
            found = run(out, found);
        } catch (DataFormatException broken) {
            found = Code.BAD_DEFLATE;
        }
        if (found == null) {
            return out;
        }
        fault = found;
        out.release();
        return null;
    }

    /** Returns why the last message was rejected. */
    Code fault() {
        return fault;
    }

    /** Inflates into a buffer with one byte more than the bound, so a message that fills the buffer is too large. */
    private @Nullable Code run(ByteBuf out, Code tooLarge) throws DataFormatException {
        boolean inTail = false;
        while (!inflater.finished()) {
            if (!out.isWritable()) {
                out.ensureWritable(Math.min(out.capacity(), out.maxCapacity() - out.capacity()));
            }
            int bytes = inflater.inflate(out.internalNioBuffer(out.writerIndex(), out.writableBytes()));
            out.writerIndex(out.writerIndex() + bytes);
            if (out.maxWritableBytes() == 0) {
                return tooLarge;
            }
            if (bytes == 0 && !inflater.finished()) {
                if (inTail || !inflater.needsInput()) {
                    return Code.BAD_DEFLATE;
                }
                inTail = true;
                inflater.setInput(TAIL);
            }
        }
        return endsWell(inTail) ? null : Code.BAD_DEFLATE;
    }

    /**
     * Returns whether the input ended correctly; a sender without flush ends its last block and appends a zero byte
     * (7.2.3.4).
     */
    private boolean endsWell(boolean inTail) {
        int left = inflater.getRemaining();
        return inTail ? left == 0 || left == LAST_BLOCK_BYTES : left <= 1;
    }
}
