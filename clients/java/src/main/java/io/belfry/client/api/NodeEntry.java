package io.belfry.client.api;

import java.util.Map;

/** A node that the called node knows. Immutable. */
public record NodeEntry(String node, boolean ready, String version, long sessions) {
    static NodeEntry of(Map<String, Object> json) {
        return new NodeEntry(
                ApiJson.text(json, "node"),
                Boolean.TRUE.equals(json.get("ready")),
                ApiJson.text(json, "version"),
                ApiJson.number(json, "sessions"));
    }
}
