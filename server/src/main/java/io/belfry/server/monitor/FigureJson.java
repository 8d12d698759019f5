package io.belfry.server.monitor;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.Code;
import io.belfry.server.counter.SlowSession;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes the figures that {@code /stats}, the {@code $}-subjects and the console share. Pure functions. */
public final class FigureJson {
    private FigureJson() {}

    /** Writes the growth of each code since an earlier count; codes that did not grow are omitted. */
    private static void byCode(JsonGenerator json, String field, Map<Code, Long> before, Map<Code, Long> now)
            throws IOException {
        json.writeObjectFieldStart(field);
        for (Code code : Code.values()) {
            long growth = now.getOrDefault(code, 0L) - before.getOrDefault(code, 0L);
            if (growth > 0) {
                json.writeNumberField(code.text(), growth);
            }
        }
        json.writeEndObject();
    }

    /** Writes the growth of the counts by code, one field per kind. */
    public static void counts(JsonGenerator json, Snapshot.CountsByCode before, Snapshot.CountsByCode now)
            throws IOException {
        byCode(json, "refusals", before.refusals(), now.refusals());
        byCode(json, "closes", before.closes(), now.closes());
        byCode(json, "drops", before.drops(), now.drops());
        byCode(json, "conflations", before.conflations(), now.conflations());
    }

    /** Writes the field {@code slowest}: the sessions that lag most. */
    public static void slowest(JsonGenerator json, List<SlowSession> sessions) throws IOException {
        json.writeArrayFieldStart("slowest");
        for (SlowSession session : sessions) {
            json.writeStartObject();
            slow(json, session);
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void slow(JsonGenerator json, SlowSession session) throws IOException {
        json.writeStringField("session", session.session());
        json.writeStringField("address", session.address());
        json.writeStringField("state", text(session.state()));
        json.writeStringField("policy", session.policy());
        json.writeNumberField("behindBytes", session.behindBytes());
        json.writeNumberField("behindMessages", session.behindMessages());
        json.writeNumberField("subjects", session.subjects());
        json.writeNumberField("queuedBytes", session.queuedBytes());
        json.writeNumberField("sinceMillis", session.sinceMillis());
    }

    /** Writes the field {@code tls}. */
    public static void encryption(JsonGenerator json, Encryption encryption) throws IOException {
        json.writeObjectFieldStart("tls");
        json.writeStringField("provider", encryption.provider());
        json.writeStringField(
                "certificateExpires", encryption.certificateExpires().get().toString());
        json.writeEndObject();
    }

    /** Writes the field {@code lagByPartition}. */
    public static void lagByPartition(JsonGenerator json, ClusterView cluster) throws IOException {
        json.writeObjectFieldStart("lagByPartition");
        for (int partition = 0; partition < cluster.partitions().size(); partition++) {
            json.writeNumberField(
                    cluster.partitions().get(partition), cluster.lag().applyAsLong(partition));
        }
        json.writeEndObject();
    }

    /** Returns the name of a constant in JSON, such as {@code catching-up}. */
    public static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
