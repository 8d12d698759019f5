package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.belfry.protocol.Code;
import io.belfry.server.api.PeerNodes.Outcome;
import io.belfry.server.json.JsonBytes;
import io.belfry.server.monitor.HttpRefusal;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Lists over several nodes, page after page: the cursor, the pages of other nodes, and the answer. Pure. */
final class NodePages {
    private static final JsonFactory JSON = new JsonFactory();

    private NodePages() {}

    /**
     * A place in the lists of several nodes. Immutable.
     *
     * @param node index of the node
     * @param cursor place in the list of this node; empty for its begin
     */
    record Place(int node, String cursor) {
        /** Returns the place at which a call continues. */
        static Place of(ApiRequest request, List<String> nodes) {
            String[] after =
                    request.parameter("after").orElse(nodes.getFirst() + "/").split("/", 2);
            int node = nodes.indexOf(after[0]);
            if (after.length < 2 || node < 0) {
                throw new HttpRefusal(Code.BAD_REQUEST, "after must be the value of next in the answer before");
            }
            return new Place(node, after[1]);
        }
    }

    /** Returns the parameter {@code after} of a call to this node itself. */
    static Optional<String> own(String cursor) {
        return Optional.of(cursor).filter(text -> !text.isEmpty());
    }

    /** Returns the beginning of the target of a call to another node. */
    static StringBuilder target(String path, int limit, String cursor) {
        StringBuilder target = new StringBuilder(path).append("?limit=").append(limit);
        own(cursor).ifPresent(after -> parameter(target, "after", after));
        return target;
    }

    static void parameter(StringBuilder target, String name, String value) {
        target.append('&').append(name).append('=').append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    /** Refuses the caller's request if another node found it invalid. */
    static void requireValid(Outcome.Failed failed) {
        if (failed.status() == Code.BAD_REQUEST.httpStatus()) {
            throw new HttpRefusal(Code.BAD_REQUEST, failed.reason());
        }
    }

    /** Reads one object of a list; the parser is at its start. */
    interface Row {
        void read(JsonParser json) throws IOException;
    }

    /** Reads the answer of another node, and returns the cursor of its next page. */
    static Optional<String> read(byte[] body, String list, Row row) throws IOException {
        Optional<String> next = Optional.empty();
        try (JsonParser parser = JSON.createParser(body)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String member = parser.currentName();
                JsonToken value = parser.nextToken();
                if (member.equals(list) && value == JsonToken.START_ARRAY) {
                    while (parser.nextToken() == JsonToken.START_OBJECT) {
                        row.read(parser);
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

    /** Returns the answer with a list of all nodes. */
    static ApiReply reply(String node, JsonBytes.Part list, Collection<Outcome.Failed> failed, @Nullable String next) {
        return ApiReply.object(json -> {
            json.writeStringField("node", node);
            json.writeStringField("scope", "nodes");
            list.write(json);
            NodesReply.writeFailed(json, failed);
            if (next != null) {
                json.writeStringField("next", next);
            }
        });
    }
}
