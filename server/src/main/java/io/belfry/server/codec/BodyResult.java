package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;

/** What came of reading bytes of a request's body. */
public sealed interface BodyResult permits BodyResult.NeedMore, BodyResult.Complete, Refusal {
    /** Everything given was consumed; the body is not complete. */
    enum NeedMore implements BodyResult {
        INSTANCE
    }

    /** The whole body. The content belongs to the {@link HttpBody} until that is released. */
    record Complete(ByteBuf content) implements BodyResult {}
}
