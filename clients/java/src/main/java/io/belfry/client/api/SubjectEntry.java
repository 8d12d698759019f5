package io.belfry.client.api;

import java.util.Map;

/**
 * A subject of the server. Immutable.
 *
 * @param seq seq of the latest message
 * @param subscribers sessions that subscribe by name
 * @param retainedSeq seq of the retained message, or -1 without one
 */
public record SubjectEntry(String subject, long epoch, long seq, long subscribers, long retainedSeq) {
    static SubjectEntry of(Map<String, Object> json) {
        return new SubjectEntry(
                ApiJson.text(json, "subject"),
                ApiJson.number(json, "epoch"),
                ApiJson.number(json, "seq"),
                ApiJson.number(json, "subscribers"),
                json.containsKey("retainedSeq") ? ApiJson.number(json, "retainedSeq") : -1);
    }
}
