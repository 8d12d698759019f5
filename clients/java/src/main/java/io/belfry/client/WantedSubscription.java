package io.belfry.client;

import io.belfry.protocol.PatternPosition;
import io.belfry.protocol.Position;
import io.belfry.protocol.Subjects;
import org.jspecify.annotations.Nullable;

/**
 * A subscription to request from the server: a subject or pattern, where it begins and how often messages are sent.
 * Immutable.
 */
@SuppressWarnings("ArrayRecordComponent") // Bytes for the network, never compared.
record WantedSubscription(
        byte[] subject,
        @Nullable Position from,
        @Nullable PatternPosition patternFrom,
        int history,
        int conflateMillis,
        boolean deltas) {
    boolean isPattern() {
        return Subjects.isPattern(subject);
    }

    boolean isPlainLive() {
        return from == null && patternFrom == null && history == 0 && conflateMillis == 0 && !deltas;
    }
}
