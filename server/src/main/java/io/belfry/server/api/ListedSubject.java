package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;

/**
 * A subject of one node, or of several. Immutable.
 *
 * @param seq seq of the latest message; 0 if there is none
 * @param retainedSeq seq of the retained message, or -1
 * @param subscribers sessions that subscribe by name
 */
record ListedSubject(String subject, long epoch, long seq, long retainedSeq, long subscribers) {
    /** Returns the subject as two nodes have it together: with the later position and the subscribers of both. */
    ListedSubject with(ListedSubject other) {
        boolean later = other.epoch == epoch ? other.seq > seq : other.epoch > epoch;
        ListedSubject latest = later ? other : this;
        return new ListedSubject(
                subject, latest.epoch, latest.seq, latest.retainedSeq, subscribers + other.subscribers);
    }

    ListedSubject withSubscribers(long number) {
        return new ListedSubject(subject, epoch, seq, retainedSeq, number);
    }

    void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringField("subject", subject);
        json.writeNumberField("epoch", epoch);
        json.writeNumberField("seq", seq);
        json.writeNumberField("subscribers", subscribers);
        if (retainedSeq >= 0) {
            json.writeNumberField("retainedSeq", retainedSeq);
        }
        json.writeEndObject();
    }

    /** Reads the object that another node has written; the parser is at its start. */
    static ListedSubject read(JsonParser json) throws IOException {
        ListedSubject found = new ListedSubject("", 0, 0, -1, 0);
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            found = found.withMember(name, json);
            json.skipChildren();
        }
        return found;
    }

    private ListedSubject withMember(String name, JsonParser json) throws IOException {
        return switch (name) {
            case "subject" -> new ListedSubject(json.getText(), epoch, seq, retainedSeq, subscribers);
            case "epoch" -> new ListedSubject(subject, json.getLongValue(), seq, retainedSeq, subscribers);
            case "seq" -> new ListedSubject(subject, epoch, json.getLongValue(), retainedSeq, subscribers);
            case "retainedSeq" -> new ListedSubject(subject, epoch, seq, json.getLongValue(), subscribers);
            case "subscribers" -> new ListedSubject(subject, epoch, seq, retainedSeq, json.getLongValue());
            default -> this;
        };
    }
}
