package io.belfry.server.codec;

/** What came of reading the head of a request. */
public sealed interface ParseResult permits ParseResult.NeedMore, ParseResult.Head, Refusal {
    /** The head is not complete and so far without fault. Nothing was consumed: the caller keeps the bytes. */
    enum NeedMore implements ParseResult {
        INSTANCE
    }

    /** A whole head; {@code consumedBytes} were taken from the buffer, the body or the next request follows. */
    record Head(HttpRequest request, int consumedBytes) implements ParseResult {}
}
