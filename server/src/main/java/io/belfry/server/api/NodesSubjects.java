package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.Subjects;
import io.belfry.server.api.PeerNodes.Outcome;
import io.belfry.server.json.JsonBytes;
import io.belfry.server.monitor.HttpRefusal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The calls that list subjects, of this node or of all nodes. A list of all nodes has the subjects of the first node, then those of the
 * second that the first does not have, and so on, each with the subscribers of all nodes. Nodes are in the order of their names, so that
 * every node continues a list that another one began. Any thread, except an event loop: the methods wait for the lanes and the nodes.
 */
final class NodesSubjects {
    /** Maximum number of pages of single nodes for one call: later nodes may have few subjects that earlier ones do not have. */
    private static final int PAGES_MAX = 16;

    private final PeerNodes peers;
    private final List<ApiLane> lanes;
    private final String node;
    private final int bodyBytesMax;
    private final List<String> nodes;

    NodesSubjects(PeerNodes peers, List<ApiLane> lanes, ApiSetup setup) {
        this.peers = peers;
        this.lanes = lanes;
        node = setup.node();
        bodyBytesMax = setup.config().bodyBytes();
        nodes = Stream.concat(Stream.of(node), peers.names().stream()).sorted().toList();
    }

    /** Lists subjects page after page. */
    ApiReply list(ApiRequest request) throws IOException {
        byte @Nullable [] pattern = pattern(request);
        int limit = request.number("limit", SessionCalls.LIMIT, SessionCalls.LIMIT_MAX);
        if (peers.isEmpty() || request.isForwarded()) {
            return own(SubjectPage.of(lanes, pattern, Cursor.of(request.parameter("after"), lanes.size()), limit));
        }
        NodePages.Place after = NodePages.Place.of(request, nodes);
        return new Merging(request, pattern, limit).list(after.node(), after.cursor());
    }

    private static byte @Nullable [] pattern(ApiRequest request) {
        byte @Nullable [] pattern = request.parameter("pattern")
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .orElse(null);
        String problem = pattern == null ? null : Subjects.problem(pattern, 0, pattern.length, true);
        if (problem != null) {
            throw new HttpRefusal(Subjects.code(problem), "pattern: " + problem);
        }
        return pattern;
    }

    /** Returns those of the subjects of the body that exist. */
    ApiReply named(ApiRequest request) throws IOException {
        List<byte[]> names = SessionCalls.subjects(request.arguments(), false);
        if (peers.isEmpty() || request.isForwarded()) {
            return own(new SubjectPage(SubjectPage.named(lanes, names), Optional.empty()));
        }
        return new Merging(request, null, names.size()).named(names);
    }

    private ApiReply own(SubjectPage page) {
        return ApiReply.object(json -> {
            SessionCalls.scope(json, node);
            write(json, page.rows());
            if (page.next().isPresent()) {
                json.writeStringField("next", page.next().get());
            }
        });
    }

    private static void write(JsonGenerator json, Collection<ListedSubject> subjects) throws IOException {
        json.writeArrayFieldStart("subjects");
        for (ListedSubject each : subjects) {
            each.write(json);
        }
        json.writeEndArray();
    }

    /** The subjects that one call finds on all nodes. A node that did not answer once is not asked again. Owner: the thread of the request. */
    private final class Merging {
        private final ApiRequest request;
        private final byte @Nullable [] pattern;
        private final int limit;
        private final Map<String, ListedSubject> found = new LinkedHashMap<>();
        private final Map<String, Outcome.Failed> failed = new LinkedHashMap<>();

        Merging(ApiRequest request, byte @Nullable [] pattern, int limit) {
            this.request = request;
            this.pattern = pattern;
            this.limit = limit;
        }

        ApiReply list(int begin, String cursor) throws IOException {
            int at = begin;
            String inner = cursor;
            for (int pages = 0; pages < PAGES_MAX && at < nodes.size() && found.size() < limit; pages++) {
                SubjectPage page = page(nodes.get(at), inner, limit - found.size());
                add(at, page.rows());
                at += page.next().isPresent() ? 0 : 1;
                inner = page.next().orElse("");
            }
            return reply(at < nodes.size() ? nodes.get(at) + "/" + inner : null);
        }

        private SubjectPage page(String name, String inner, int most) throws IOException {
            if (name.equals(node)) {
                Cursor after = Cursor.of(NodePages.own(inner), lanes.size());
                return SubjectPage.of(lanes, pattern, after, most);
            }
            StringBuilder target = NodePages.target("/v1/subjects", most, inner);
            if (pattern != null) {
                NodePages.parameter(target, "pattern", new String(pattern, StandardCharsets.UTF_8));
            }
            return failed.containsKey(name)
                    ? new SubjectPage(List.of(), Optional.empty())
                    : read(peers.one(name, request, target.toString()).orElseThrow());
        }

        /** Adds the subjects of a page of a node that no node before it has. */
        private void add(int at, List<ListedSubject> rows) throws IOException {
            Map<String, ListedSubject> more = new LinkedHashMap<>();
            rows.forEach(row -> more.put(row.subject(), row));
            List<byte[]> names = bytes(rows);
            for (int i = 0; i < nodes.size() && !names.isEmpty(); i++) {
                if (i != at) {
                    boolean before = i < at;
                    for (ListedSubject each : lookup(nodes.get(i), names)) {
                        more.computeIfPresent(each.subject(), (name, row) -> before ? null : row.with(each));
                    }
                }
            }
            found.putAll(more);
        }

        private static List<byte[]> bytes(List<ListedSubject> rows) {
            return rows.stream()
                    .map(row -> row.subject().getBytes(StandardCharsets.UTF_8))
                    .toList();
        }

        ApiReply named(List<byte[]> names) throws IOException {
            for (String each : nodes) {
                for (ListedSubject row : lookup(each, names)) {
                    found.merge(row.subject(), row, ListedSubject::with);
                }
            }
            return reply(null);
        }

        /** Returns those of the subjects that a node has; none if it does not answer. */
        private List<ListedSubject> lookup(String name, List<byte[]> names) throws IOException {
            if (name.equals(node)) {
                return SubjectPage.named(lanes, names);
            }
            List<ListedSubject> rows = new ArrayList<>();
            for (int i = 0; i < names.size() && !failed.containsKey(name); ) {
                int end = end(names, i);
                byte[] body = body(names.subList(i, end));
                rows.addAll(
                        read(peers.post(name, request, "/v1/subjects", body)).rows());
                i = end;
            }
            return rows;
        }

        /** Returns the end of the names that fit into one body; in JSON a character takes at most two bytes for each of its own. */
        private int end(List<byte[]> names, int begin) {
            int end = begin;
            for (int bytes = 0; end < names.size() && (end == begin || bytes < bodyBytesMax - 1024); end++) {
                bytes += 2 * names.get(end).length + 3;
            }
            return end;
        }

        private static byte[] body(List<byte[]> names) {
            return JsonBytes.object(json -> {
                json.writeArrayFieldStart("subjects");
                for (byte[] each : names) {
                    json.writeString(new String(each, StandardCharsets.UTF_8));
                }
                json.writeEndArray();
            });
        }

        private SubjectPage read(Outcome outcome) throws IOException {
            if (outcome instanceof Outcome.Failed other) {
                NodePages.requireValid(other);
                failed.put(other.node(), other);
                return new SubjectPage(List.of(), Optional.empty());
            }
            List<ListedSubject> rows = new ArrayList<>();
            Optional<String> next = NodePages.read(
                    ((Outcome.Done) outcome).body(), "subjects", row -> rows.add(ListedSubject.read(row)));
            return new SubjectPage(rows, next);
        }

        private ApiReply reply(@Nullable String next) {
            return NodePages.reply(node, json -> write(json, found.values()), failed.values(), next);
        }
    }
}
