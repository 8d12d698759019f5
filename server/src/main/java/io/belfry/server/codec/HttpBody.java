package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;

/**
 * Reads the body that follows one head, bounded. Owner: the connection's loop, which releases it when the content is
 * used or the connection is lost, whatever was read until then.
 */
public sealed interface HttpBody permits LengthBody, ChunkedBody {
    /**
     * A reader for the body of this request of at most so many bytes. A client that announces much and sends little gets
     * no more than {@code firstBytesMax} for it.
     */
    static HttpBody of(HttpRequest request, int bytesMax, int firstBytesMax) {
        return request.framing() == HttpRequest.Framing.CHUNKED
                ? new ChunkedBody(bytesMax, firstBytesMax)
                : new LengthBody(request.contentLength(), bytesMax, firstBytesMax);
    }

    /**
     * Takes what belongs to the body from the buffer. A declared length over the bound is refused whatever the buffer
     * holds: an empty one asks before a 100-continue is sent.
     */
    BodyResult read(ByteBuf in);

    /** Bytes taken up by what has come so far. */
    int heldBytes();

    /** Frees the content. May be called more than once. */
    void release();
}
