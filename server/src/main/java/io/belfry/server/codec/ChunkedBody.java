package io.belfry.server.codec;

import io.belfry.protocol.Code;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Reads a chunked body (RFC 9112, section 7.1). Every line must end with CR LF. Extensions and trailers are checked,
 * counted and discarded. Optional white space around extensions is rejected, because implementations interpret it
 * differently. Owner: the connection's loop.
 */
final class ChunkedBody implements HttpBody {
    /** Maximum size of all chunk extensions and trailers of a body together; the server does not use them. */
    private static final int OVERHEAD_BYTES_MAX = 4096;

    private static final int SIZE_DIGITS_MAX = 8;

    private enum State {
        SIZE,
        EXTENSION,
        SIZE_LF,
        DATA,
        DATA_CR,
        DATA_LF,
        TRAILER,
        TRAILER_NAME,
        TRAILER_VALUE,
        TRAILER_LF,
        LAST_LF,
        DONE
    }

    private final int bytesMax;
    private final int firstBytesMax;
    private State state = State.SIZE;
    private long chunkBytes;
    private int digits;
    private int overheadBytes;
    private ByteBuf content = Unpooled.EMPTY_BUFFER;

    ChunkedBody(int bytesMax, int firstBytesMax) {
        this.bytesMax = bytesMax;
        this.firstBytesMax = firstBytesMax;
    }

    @Override
    public BodyResult read(ByteBuf in) {
        while (state != State.DONE && in.isReadable()) {
            Refusal refusal = state == State.DATA ? data(in) : line(in.readByte());
            if (refusal != null) {
                return refusal;
            }
        }
        return state == State.DONE ? new BodyResult.Complete(content) : BodyResult.NeedMore.INSTANCE;
    }

    private @Nullable Refusal data(ByteBuf in) {
        int bytes = (int) Math.min(chunkBytes, in.readableBytes());
        if (content.maxCapacity() == 0) {
            content = in.alloc().buffer((int) Math.min(chunkBytes, Math.max(bytes, firstBytesMax)), bytesMax);
        }
        content.writeBytes(in, bytes);
        chunkBytes -= bytes;
        if (chunkBytes == 0) {
            state = State.DATA_CR;
        }
        return null;
    }

    private @Nullable Refusal line(byte b) {
        return switch (state) {
            case SIZE -> size(b);
            case EXTENSION -> b == '\r' ? to(State.SIZE_LF) : overhead(HttpChars.isValue(b), State.EXTENSION);
            case SIZE_LF -> b == '\n' ? sizeEnd() : malformed();
            case DATA_CR -> b == '\r' ? to(State.DATA_LF) : malformed();
            case DATA_LF -> b == '\n' ? to(State.SIZE) : malformed();
            case TRAILER -> b == '\r' ? to(State.LAST_LF) : overhead(HttpChars.isToken(b), State.TRAILER_NAME);
            case TRAILER_NAME ->
                overhead(b == ':' || HttpChars.isToken(b), b == ':' ? State.TRAILER_VALUE : State.TRAILER_NAME);
            case TRAILER_VALUE ->
                b == '\r' ? to(State.TRAILER_LF) : overhead(HttpChars.isValue(b), State.TRAILER_VALUE);
            case TRAILER_LF -> b == '\n' ? to(State.TRAILER) : malformed();
            case LAST_LF -> b == '\n' ? to(State.DONE) : malformed();
            case DATA, DONE -> throw new IllegalStateException(state.name());
        };
    }

    private @Nullable Refusal size(byte b) {
        int digit = HttpChars.hex(b);
        if (digit >= 0) {
            chunkBytes = chunkBytes << 4 | digit;
            return ++digits > SIZE_DIGITS_MAX ? malformed() : null;
        }
        if (digits == 0) {
            return malformed();
        }
        return b == '\r' ? to(State.SIZE_LF) : overhead(b == ';', State.EXTENSION);
    }

    private @Nullable Refusal sizeEnd() {
        digits = 0;
        if (chunkBytes > bytesMax - content.readableBytes()) {
            return Refusal.of(Code.MESSAGE_TOO_LARGE, "the body exceeds " + bytesMax + " bytes");
        }
        return to(chunkBytes == 0 ? State.TRAILER : State.DATA);
    }

    private @Nullable Refusal overhead(boolean allowed, State next) {
        if (!allowed) {
            return malformed();
        }
        if (++overheadBytes > OVERHEAD_BYTES_MAX) {
            return Refusal.of(
                    Code.HEADER_TOO_LARGE, "the chunk extensions and trailers exceed " + OVERHEAD_BYTES_MAX + " bytes");
        }
        return to(next);
    }

    private @Nullable Refusal to(State next) {
        state = next;
        return null;
    }

    private static Refusal malformed() {
        return Refusal.of(Code.BAD_HTTP, "the chunked body is malformed");
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
