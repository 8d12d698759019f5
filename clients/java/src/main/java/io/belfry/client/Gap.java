package io.belfry.client;

import io.belfry.protocol.Position;
import org.jspecify.annotations.Nullable;

/**
 * A range of messages that were not delivered and will not be. Immutable.
 *
 * @param subject subject of the missing messages; a pattern if the subjects are unknown
 * @param from last position before the gap; null if unknown
 * @param to last position of the gap; null if unknown
 * @param reason a code of docs/protocol.md, or {@code not-recovered} if the client could not ask the server
 */
public record Gap(
        String subject, @Nullable Position from, @Nullable Position to, String reason) implements StreamItem {
    /** The reason of a gap that the client itself detected. */
    public static final String NOT_RECOVERED = "not-recovered";
}
