package io.belfry.client;

import io.belfry.protocol.Position;
import org.jspecify.annotations.Nullable;

/**
 * Messages that did not come and will not. Immutable.
 *
 * @param subject where; a pattern where it is not known of which of its subjects
 * @param from nothing after it came; null = not known
 * @param to up to and including it nothing comes; null = not known
 * @param reason a code of docs/protocol.md, or {@code not-recovered}: the client could not ask the server
 */
public record Gap(
        String subject, @Nullable Position from, @Nullable Position to, String reason) {
    /** The reason of a gap that the client itself found. */
    public static final String NOT_RECOVERED = "not-recovered";
}
