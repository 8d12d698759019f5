package io.belfry.client;

import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import org.jspecify.annotations.Nullable;

/** What to ask the server for: one subject or pattern, and what of its past. Immutable. */
@SuppressWarnings("ArrayRecordComponent") // Bytes for the wire, never compared.
record Wish(byte[] subject, @Nullable Position from, int history) {
    boolean isPattern() {
        return Subjects.isPattern(subject);
    }

    boolean isPlainLive() {
        return from == null && history == 0;
    }
}
