package io.belfry.client;

import org.jspecify.annotations.Nullable;

/**
 * Immutable.
 *
 * @param retain keep it as the subject's retained message
 * @param msgId what makes a repeat safe, 1 to 64 bytes; null = the client makes one up
 * @param repeat whether it is sent again after a disconnect; without, it carries no msgId of the client's making and its
 *     future fails as {@link PublishException.Kind#UNKNOWN}
 */
public record PublishOptions(boolean retain, @Nullable String msgId, boolean repeat) {
    public static final PublishOptions DEFAULT = new PublishOptions(false, null, true);
    public static final PublishOptions RETAIN = new PublishOptions(true, null, true);

    /** Sent at most once. */
    public static final PublishOptions ONCE = new PublishOptions(false, null, false);

    public static PublishOptions msgId(String msgId) {
        return new PublishOptions(false, msgId, true);
    }
}
