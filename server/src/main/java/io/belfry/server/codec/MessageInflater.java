package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.jspecify.annotations.Nullable;

/**
 * Inflates the messages of permessage-deflate without context takeover (RFC 7692): each stands for itself, so one inflater
 * serves all connections of a loop, a message at a time, when the last byte of it is here. What comes out is bounded while
 * it comes out: a message that would become larger costs no more than the bound.
 *
 * <p>Owner: one loop.
 */
public final class MessageInflater {
    /** So large any message may become, whatever the ratio: a few bytes may well stand for a few thousand blanks. */
    static final int FREE_BYTES = 16 * 1024;

    private static final int FIRST_BYTES_MIN = 256;

    /**
     * What the sender took off the end of the message (section 7.2.2), and an empty last block: only a message that ended
     * with a whole block lets that one be read.
     */
    private static final byte[] TAIL = {0, 0, (byte) 0xff, (byte) 0xff, 1, 0, 0, (byte) 0xff, (byte) 0xff};

    /** What is left of the tail where the message's own last block ended with it. */
    private static final int LAST_BLOCK_BYTES = 5;

    private final int ratioMax;
    private final Inflater inflater = new Inflater(true);
    private Code fault = Code.BAD_DEFLATE;

    /** The bound on how many times its size a message may become. */
    public MessageInflater(int ratioMax) {
        this.ratioMax = ratioMax;
    }

    /** The whole message, which the caller releases; null where it breaks a rule or a bound, which {@link #fault} names. */
    @Nullable
    ByteBuf inflate(ByteBuf in, int offset, int length, int bytesMax) {
        int allowed = (int) Math.min(bytesMax, Math.max(FREE_BYTES, (long) length * ratioMax));
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

    /** Why the last message was none. */
    Code fault() {
        return fault;
    }

    /** There is room for one byte more than is allowed, so a message that fills it is too large. */
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

    /** A sender without a flush ends its last block and appends one zero (section 7.2.3.4). */
    private boolean endsWell(boolean inTail) {
        int left = inflater.getRemaining();
        return inTail ? left == 0 || left == LAST_BLOCK_BYTES : left <= 1;
    }
}
