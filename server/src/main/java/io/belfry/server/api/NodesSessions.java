package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.belfry.protocol.Code;
import io.belfry.server.api.PeerNodes.Outcome;
import io.belfry.server.monitor.HttpRefusal;
import io.belfry.server.workgroup.LaneInspector.SessionRow;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The calls that read sessions of all nodes. A list has the sessions of one node after those of another, this node first; its cursor
 * names the node. Any thread, except an event loop: the methods wait for the lanes and the nodes.
 */
final class NodesSessions {
    private static final JsonFactory JSON = new JsonFactory();
    private static final List<String> FILTERS = List.of("user", "subject", "state");

    private final PeerNodes peers;
    private final SessionCalls here;
    private final String node;
    private final List<String> nodes = new ArrayList<>();

    NodesSessions(PeerNodes peers, SessionCalls here, String node) {
        this.peers = peers;
        this.here = here;
        this.node = node;
        nodes.add(node);
        nodes.addAll(peers.names());
    }

    /** A page that is being filled: sessions as JSON objects with commas between them. */
    private static final class Page {
        final ByteArrayOutputStream sessions = new ByteArrayOutputStream();
        final List<Outcome.Failed> failed = new ArrayList<>();
        int count;

        void add(String node, JsonParser row) throws IOException {
            begin();
            try (JsonGenerator json = JSON.createGenerator(sessions)) {
                json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
                json.writeStartObject();
                json.writeStringField("node", node);
                while (row.nextToken() == JsonToken.FIELD_NAME) {
                    json.copyCurrentStructure(row);
                }
                json.writeEndObject();
            }
        }

        void add(String node, SessionRow row) throws IOException {
            begin();
            try (JsonGenerator json = JSON.createGenerator(sessions)) {
                json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
                json.writeStartObject();
                json.writeStringField("node", node);
                SessionCalls.row(json, row);
                json.writeEndObject();
            }
        }

        private void begin() {
            if (count++ > 0) {
                sessions.write(',');
            }
        }
    }

    ApiReply list(ApiRequest request) throws IOException {
        if (peers.isEmpty() || request.isForwarded()) {
            return here.list(request);
        }
        String[] after = request.parameter("after").orElse(node + "/").split("/", 2);
        int at = nodes.indexOf(after[0]);
        if (after.length < 2 || at < 0) {
            throw new HttpRefusal(Code.BAD_REQUEST, "after must be the value of next in the answer before");
        }
        int limit = request.number("limit", SessionCalls.LIMIT, SessionCalls.LIMIT_MAX);
        Page page = new Page();
        String inner = after[1];
        @Nullable String next = null;
        for (int i = at; i < nodes.size() && next == null; i++) {
            String name = nodes.get(i);
            Optional<String> more = name.equals(node)
                    ? addOwn(request, page, inner, limit)
                    : addOthers(request, page, name, inner, limit - page.count);
            inner = "";
            if (more.isPresent()) {
                next = name + "/" + more.get();
            } else if (page.count >= limit && i + 1 < nodes.size()) {
                next = nodes.get(i + 1) + "/";
            }
        }
        return reply(page, next);
    }

    private Optional<String> addOwn(ApiRequest request, Page page, String inner, int limit) throws IOException {
        SessionPage own = here.page(request, Optional.of(inner).filter(text -> !text.isEmpty()), limit);
        for (SessionRow each : own.rows()) {
            page.add(node, each);
        }
        return own.next();
    }

    private Optional<String> addOthers(ApiRequest request, Page page, String name, String inner, int limit)
            throws IOException {
        StringBuilder target = new StringBuilder("/v1/sessions?limit=").append(limit);
        if (!inner.isEmpty()) {
            parameter(target, "after", inner);
        }
        FILTERS.forEach(filter -> request.parameter(filter).ifPresent(value -> parameter(target, filter, value)));
        Outcome outcome = peers.one(name, request, target.toString()).orElseThrow();
        if (outcome instanceof Outcome.Failed failed) {
            if (failed.status() == Code.BAD_REQUEST.httpStatus()) {
                throw new HttpRefusal(Code.BAD_REQUEST, failed.reason());
            }
            page.failed.add(failed);
            return Optional.empty();
        }
        return read(name, ((Outcome.Done) outcome).body(), page);
    }

    private static void parameter(StringBuilder target, String name, String value) {
        target.append('&').append(name).append('=').append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    private static Optional<String> read(String name, byte[] body, Page page) throws IOException {
        Optional<String> next = Optional.empty();
        try (JsonParser parser = JSON.createParser(body)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String member = parser.currentName();
                JsonToken value = parser.nextToken();
                if (member.equals("sessions") && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        page.add(name, parser);
                    }
                } else if (member.equals("next")) {
                    next = Optional.of(parser.getText());
                } else {
                    parser.skipChildren();
                }
            }
        }
        return next;
    }

    private ApiReply reply(Page page, @Nullable String next) {
        return ApiReply.object(json -> {
            json.writeStringField("node", node);
            json.writeStringField("scope", "nodes");
            json.writeFieldName("sessions");
            json.writeRawValue("[" + page.sessions.toString(StandardCharsets.UTF_8) + "]");
            NodesReply.writeFailed(json, page.failed);
            if (next != null) {
                json.writeStringField("next", next);
            }
        });
    }

    /** Returns one session, of whichever node. */
    ApiReply one(ApiRequest request) throws IOException {
        try {
            return here.one(request);
        } catch (HttpRefusal refused) {
            if (refused.code() != Code.NOT_FOUND || peers.isEmpty() || request.isForwarded()) {
                throw refused;
            }
            return elsewhere(request, refused);
        }
    }

    private ApiReply elsewhere(ApiRequest request, HttpRefusal notHere) throws IOException {
        List<Outcome.Failed> failed = new ArrayList<>();
        for (Outcome each : peers.all(request)) {
            switch (each) {
                case Outcome.Done done -> {
                    return new ApiReply(200, null, ApiReply.JSON, Map.of(), done.body());
                }
                case Outcome.Failed none when none.status() == Code.NOT_FOUND.httpStatus() -> {}
                case Outcome.Failed other -> failed.add(other);
            }
        }
        throw failed.isEmpty() ? notHere : NodesReply.unreachable(failed);
    }
}
