package io.belfry.client.connection;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Finds the body of a response in a stream of bytes: chunked (RFC 9112, section 7.1), with a length, or up to the end
 * of the connection. Passes the bytes on without copying. Owner: the connection that holds it.
 */
final class ClientHttpBody {
    /** Receives a part of the body; returns false to stop. */
    interface Receiver {
        boolean onBody(ByteBuf in, int length);
    }

    private static final long UP_TO_THE_END = Long.MAX_VALUE;
    private static final int SIZE_DIGITS_MAX = 8;

    private enum At {
        SIZE,
        SIZE_LINE_END,
        DATA,
        DATA_LINE_END,
        TRAILER,
        END
    }

    private boolean chunked;
    private At at = At.END;
    private long left;
    private int sizeDigits;
    private boolean trailerLineIsEmpty;
    private @Nullable String problem;

    void begin(AnswerHead head) {
        chunked = head.chunked();
        problem = null;
        if (chunked) {
            beginChunk();
        } else {
            left = head.contentLength() < 0 ? UP_TO_THE_END : head.contentLength();
            at = left == 0 ? At.END : At.DATA;
        }
    }

    private void beginChunk() {
        at = At.SIZE;
        left = 0;
        sizeDigits = 0;
    }

    /** Whether the whole body was passed on. */
    boolean ended() {
        return at == At.END;
    }

    /** Returns the violated rule, or null. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Reads the bytes of the body from {@code in}, until the body ends, a rule is violated or the receiver stops. */
    void read(ByteBuf in, Receiver receiver) {
        boolean goOn = true;
        while (goOn && in.isReadable() && at != At.END && problem == null) {
            if (at == At.DATA) {
                goOn = data(in, receiver);
            } else {
                between(in.readByte());
            }
        }
    }

    private boolean data(ByteBuf in, Receiver receiver) {
        int length = (int) Math.min(left, in.readableBytes());
        int end = in.readerIndex() + length;
        if (left != UP_TO_THE_END) {
            left -= length;
        }
        if (left == 0) {
            at = chunked ? At.DATA_LINE_END : At.END;
        }
        boolean goOn = receiver.onBody(in, length);
        if (goOn) {
            in.readerIndex(end);
        }
        return goOn;
    }

    private void between(byte b) {
        switch (at) {
            case SIZE -> size(b);
            case SIZE_LINE_END -> {
                if (b == '\n') {
                    sizeKnown();
                }
            }
            case DATA_LINE_END -> {
                if (b == '\n') {
                    beginChunk();
                } else if (b != '\r') {
                    problem = "the server sent a chunk that is longer than its size";
                }
            }
            default -> trailer(b);
        }
    }

    private void size(byte b) {
        int digit = Character.digit(b, 16);
        if (digit >= 0 && sizeDigits < SIZE_DIGITS_MAX) {
            left = left * 16 + digit;
            sizeDigits++;
        } else if (sizeDigits == 0 || digit >= 0) {
            problem = "the server sent a chunk without a size";
        } else if (b == '\n') {
            sizeKnown();
        } else {
            at = At.SIZE_LINE_END;
        }
    }

    private void sizeKnown() {
        if (left == 0) {
            at = At.TRAILER;
            trailerLineIsEmpty = true;
        } else {
            at = At.DATA;
        }
    }

    private void trailer(byte b) {
        if (b == '\n') {
            at = trailerLineIsEmpty ? At.END : At.TRAILER;
            trailerLineIsEmpty = true;
        } else if (b != '\r') {
            trailerLineIsEmpty = false;
        }
    }
}
