package io.belfry.client;

import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import org.jspecify.annotations.Nullable;

/** What to ask the server for: one subject or pattern, what of its past, and how often at most. Immutable. */
@SuppressWarnings("ArrayRecordComponent") // Bytes for the wire, never compared.
record Wish(byte[] subject, @Nullable Position from, int history, int conflateMillis) {
    boolean isPattern() {
        return Subjects.isPattern(subject);
    }

    boolean isPlainLive() {
        return from == null && history == 0 && conflateMillis == 0;
    }
}
