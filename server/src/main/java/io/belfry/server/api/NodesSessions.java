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
        NodePages.Place after = NodePages.Place.of(request, nodes);
        int limit = request.number("limit", SessionCalls.LIMIT, SessionCalls.LIMIT_MAX);
        Page page = new Page();
        String inner = after.cursor();
        @Nullable String next = null;
        for (int i = after.node(); i < nodes.size() && next == null; i++) {
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
        SessionPage own = here.page(request, NodePages.own(inner), limit);
        for (SessionRow each : own.rows()) {
            page.add(node, each);
        }
        return own.next();
    }

    private Optional<String> addOthers(ApiRequest request, Page page, String name, String inner, int limit)
            throws IOException {
        StringBuilder target = NodePages.target("/v1/sessions", limit, inner);
        FILTERS.forEach(
                filter -> request.parameter(filter).ifPresent(value -> NodePages.parameter(target, filter, value)));
        Outcome outcome = peers.one(name, request, target.toString()).orElseThrow();
        if (outcome instanceof Outcome.Failed failed) {
            NodePages.requireValid(failed);
            page.failed.add(failed);
            return Optional.empty();
        }
        return NodePages.read(((Outcome.Done) outcome).body(), "sessions", row -> page.add(name, row));
    }

    private ApiReply reply(Page page, @Nullable String next) {
        return NodePages.reply(
                node,
                json -> {
                    json.writeFieldName("sessions");
                    json.writeRawValue("[" + page.sessions.toString(StandardCharsets.UTF_8) + "]");
                },
                page.failed,
                next);
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
