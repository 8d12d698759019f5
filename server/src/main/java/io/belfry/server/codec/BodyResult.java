package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;

/** The result of reading bytes of a request body. */
public sealed interface BodyResult permits BodyResult.NeedMore, BodyResult.Complete, Refusal {
    /** The body is not complete; all given bytes were consumed. */
    enum NeedMore implements BodyResult {
        INSTANCE
    }

    /** The body is complete. The {@link HttpBody} owns the content until {@link HttpBody#release}. */
    record Complete(ByteBuf content) implements BodyResult {}
}
