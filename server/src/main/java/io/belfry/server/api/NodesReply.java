package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.belfry.protocol.Code;
import io.belfry.server.api.PeerNodes.Outcome;
import io.belfry.server.monitor.HttpRefusal;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The answers of several nodes to one call, as one: sums of their numbers, the nodes that answered and those that did not. Owner: the
 * thread of the request.
 */
final class NodesReply {
    private static final JsonFactory JSON = new JsonFactory();

    private final String node;
    private final List<String> answered = new ArrayList<>();
    private final List<Outcome.Failed> failed = new ArrayList<>();
    private final Map<String, Long> sums = new TreeMap<>();
    private boolean found;

    /** Begins an answer of this node, with the names of the numbers to add up. */
    NodesReply(String node, List<String> summed) {
        this.node = node;
        summed.forEach(name -> sums.put(name, 0L));
    }

    /**
     * Returns a handler that executes a call on all nodes: first here, so that a malformed call is sent nowhere, then on the others
     * at the same time.
     */
    static ApiEndpoint.Handler onAll(PeerNodes peers, String node, ApiEndpoint.Handler here, String... summed) {
        return request -> {
            if (peers.isEmpty() || request.isForwarded()) {
                return here.serve(request);
            }
            NodesReply reply = new NodesReply(node, List.of(summed));
            reply.addOwn(here, request);
            for (Outcome each : peers.all(request)) {
                reply.add(each);
            }
            return reply.build();
        };
    }

    private void addOwn(ApiEndpoint.Handler here, ApiRequest request) throws IOException {
        try {
            add(new Outcome.Done(node, here.serve(request).body()));
        } catch (HttpRefusal refused) {
            if (refused.code() != Code.NOT_FOUND) {
                throw refused;
            }
            answered.add(node);
        }
    }

    void add(Outcome outcome) throws IOException {
        switch (outcome) {
            case Outcome.Done done -> {
                answered.add(done.node());
                found = true;
                addNumbers(done.body());
            }
            case Outcome.Failed none when none.status() == Code.NOT_FOUND.httpStatus() -> answered.add(none.node());
            case Outcome.Failed other -> failed.add(other);
        }
    }

    private void addNumbers(byte[] body) throws IOException {
        try (JsonParser parser = JSON.createParser(body)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String name = parser.currentName();
                if (parser.nextToken() == JsonToken.VALUE_NUMBER_INT && sums.containsKey(name)) {
                    sums.merge(name, parser.getLongValue(), Long::sum);
                }
                parser.skipChildren();
            }
        }
    }

    private ApiReply build() {
        if (!found) {
            throw failed.isEmpty()
                    ? new HttpRefusal(Code.NOT_FOUND, "no node has a session with this name")
                    : unreachable(failed);
        }
        return ApiReply.object(json -> {
            json.writeStringField("node", node);
            json.writeStringField("scope", "nodes");
            for (Map.Entry<String, Long> each : sums.entrySet()) {
                json.writeNumberField(each.getKey(), each.getValue());
            }
            json.writeArrayFieldStart("answered");
            for (String each : answered) {
                json.writeString(each);
            }
            json.writeEndArray();
            writeFailed(json, failed);
        });
    }

    /** Returns the refusal of a call about a session that no node has that answered. */
    static HttpRefusal unreachable(List<Outcome.Failed> failed) {
        return new HttpRefusal(
                Code.NODE_UNREACHABLE,
                "no node that answered has the session; no answer from "
                        + failed.stream().map(Outcome.Failed::node).collect(Collectors.joining(", ")));
    }

    /** Writes the list of the nodes that did not execute the call. */
    static void writeFailed(JsonGenerator json, Collection<Outcome.Failed> failed) throws IOException {
        json.writeArrayFieldStart("failed");
        for (Outcome.Failed each : failed) {
            json.writeStartObject();
            json.writeStringField("node", each.node());
            json.writeStringField("code", each.code());
            json.writeStringField("reason", each.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
    }
}
