package io.belfry.protocol;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for when it subscribes. Immutable; the arrays are the receiver's to keep, not to change.
 *
 * @param subjects one or more subjects or patterns, each valid
 * @param from resume after this position; only with one plain subject
 * @param history this many earlier messages first, 0 = none; only with plain subjects, ignored with {@code from}
 * @param conflateMillis at most one message per subject in this time, the latest; 0 = all
 */
public record SubscribeRequest(
        List<byte[]> subjects, @Nullable Position from, int history, int conflateMillis) {
    /** An hour. */
    public static final int CONFLATE_MILLIS_MAX = 3_600_000;

    public SubscribeRequest {
        subjects = List.copyOf(subjects);
    }
}
