package io.belfry.client;

import org.jspecify.annotations.Nullable;

/**
 * Options of a publish. Immutable.
 *
 * @param retain whether the server keeps the message as the subject's retained message
 * @param msgId id by which the server detects a repeated publish, 1 to 64 bytes; null for an id chosen by the client
 * @param repeat whether to send the message again after a disconnect. If false, the client chooses no msgId, and the
 *     future fails with {@link PublishException.Kind#UNKNOWN} after a disconnect
 */
public record PublishOptions(boolean retain, @Nullable String msgId, boolean repeat) {
    /** Not retained; repeated after a disconnect. */
    public static final PublishOptions DEFAULT = new PublishOptions(false, null, true);
    /** Retained; repeated after a disconnect. */
    public static final PublishOptions RETAIN = new PublishOptions(true, null, true);

    /** Not retained; sent at most once. */
    public static final PublishOptions ONCE = new PublishOptions(false, null, false);

    /** Options with a msgId of the caller. */
    public static PublishOptions msgId(String msgId) {
        return new PublishOptions(false, msgId, true);
    }
}
