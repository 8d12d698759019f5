package io.belfry.server.codec;

/** The result of parsing the head of a request. */
public sealed interface ParseResult permits ParseResult.NeedMore, ParseResult.Head, Refusal {
    /** The head is incomplete and valid so far. Nothing was consumed; the caller keeps the bytes. */
    enum NeedMore implements ParseResult {
        INSTANCE
    }

    /** The head is complete. {@code consumedBytes} bytes were consumed; the body or the next request follows. */
    record Head(HttpRequest request, int consumedBytes) implements ParseResult {}
}
