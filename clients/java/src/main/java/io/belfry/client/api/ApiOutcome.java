package io.belfry.client.api;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a publish: a position, or the code and the reason of a refusal. Immutable.
 *
 * @param code why nothing was published; null for a message that is in the history
 */
public record ApiOutcome(
        String subject,
        long epoch,
        long seq,
        @Nullable String code,
        @Nullable String reason) {
    /** Returns whether the message is in the history. */
    public boolean isAccepted() {
        return code == null;
    }
}
