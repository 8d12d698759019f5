package io.belfry.client.api;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A session of the server. Immutable.
 *
 * @param node name of the node, or null if the call concerned one node
 * @param user name of the user, or null for an anonymous client
 * @param subjects the subscriptions, at most 1,000; empty in a list
 */
public record SessionEntry(
        @Nullable String node,
        String session,
        @Nullable String user,
        String address,
        String format,
        String state,
        long subscriptions,
        long queuedBytes,
        long behindMessages,
        long behindBytes,
        List<String> subjects) {
    static SessionEntry of(Map<String, Object> json) {
        return new SessionEntry(
                ApiJson.textOrNull(json, "node"),
                ApiJson.text(json, "session"),
                ApiJson.textOrNull(json, "user"),
                ApiJson.text(json, "address"),
                ApiJson.text(json, "format"),
                ApiJson.text(json, "state"),
                ApiJson.number(json, "subscriptions"),
                ApiJson.number(json, "queuedBytes"),
                ApiJson.number(json, "behindMessages"),
                ApiJson.number(json, "behindBytes"),
                ApiJson.objects(json, "subjects").stream()
                        .map(each -> ApiJson.text(each, "subject"))
                        .toList());
    }
}
