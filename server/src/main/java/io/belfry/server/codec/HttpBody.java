package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;

/**
 * Reads the body of one request, up to a bound. Owner: the connection's loop, which releases this object after it used
 * the content or lost the connection, even if the body is incomplete.
 */
public sealed interface HttpBody permits LengthBody, ChunkedBody {
    /**
     * Creates a reader for the body of this request, of at most {@code bytesMax} bytes. The first buffer is at most
     * {@code firstBytesMax}, so a client that announces a large body but sends little costs no more.
     */
    static HttpBody of(HttpRequest request, int bytesMax, int firstBytesMax) {
        return request.framing() == HttpRequest.Framing.CHUNKED
                ? new ChunkedBody(bytesMax, firstBytesMax)
                : new LengthBody(request.contentLength(), bytesMax, firstBytesMax);
    }

    /**
     * Consumes the bytes of the body from the buffer. A declared length over the bound is refused even if the buffer
     * is empty, so an oversized body can be refused before a 100-continue is sent.
     */
    BodyResult read(ByteBuf in);

    /** Returns the memory used by the part of the body received so far, in bytes. */
    int heldBytes();

    /** Releases the content. May be called more than once. */
    void release();
}
