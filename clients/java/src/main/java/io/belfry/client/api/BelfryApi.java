package io.belfry.client.api;

import io.belfry.client.api.IncompleteCallException.MissingNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The server API of a node, for backends: docs/server-api.md describes the calls. The methods block. Any thread.
 *
 * <p>A refused call throws an {@link ApiException} with a stable code. No call is repeated: after another {@link IOException} the
 * outcome of a publish is unknown, and a repeat with the same {@code msgId} is delivered once.
 */
public final class BelfryApi {
    private static final String JSON = "application/json";
    private static final String LINES = "application/x-ndjson";
    private static final int PAGE = 1000;

    private final HttpClient client;
    private final String base;
    private final String key;
    private final Duration timeout;

    /**
     * Creates a client of one node.
     *
     * @param url address of {@code Api.Listen}, such as {@code http://127.0.0.1:4001}
     * @param key one of the keys of {@code Api.KeyFile}
     */
    public BelfryApi(URI url, String key) {
        this(url, key, Duration.ofSeconds(30));
    }

    /** Creates a client whose calls end after {@code timeout}. */
    public BelfryApi(URI url, String key, Duration timeout) {
        if (url.getHost() == null || !List.of("http", "https").contains(url.getScheme())) {
            throw new IllegalArgumentException("url must be http://HOST:PORT or https://HOST:PORT, not " + url);
        }
        base = url.toString().replaceAll("/+$", "");
        this.key = key;
        this.timeout = timeout;
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(timeout)
                .build();
    }

    /** Publishes one message and returns its position. */
    public ApiOutcome publish(String subject, ApiContent content) throws IOException {
        return outcome(subject, post("/v1/publish", publishOf(subject, content)));
    }

    /** Publishes a batch, at most {@code Api.BatchLines} messages, and returns an outcome for each, in order. */
    public List<ApiOutcome> publishAll(List<ApiPublish> batch) throws IOException {
        if (batch.isEmpty()) {
            return List.of();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        for (ApiPublish each : batch) {
            body.writeBytes(publishOf(each.subject(), each.content()));
            body.write('\n');
        }
        byte[] answer = call("POST", "/v1/publish", body.toByteArray(), LINES);
        List<String> lines = new String(answer, StandardCharsets.UTF_8).lines().toList();
        if (lines.size() != batch.size()) {
            throw new IOException("the answer has " + lines.size() + " lines for " + batch.size() + " messages");
        }
        List<ApiOutcome> outcomes = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            outcomes.add(
                    outcome(batch.get(i).subject(), ApiJson.object(lines.get(i).getBytes(StandardCharsets.UTF_8))));
        }
        return outcomes;
    }

    private static byte[] publishOf(String subject, ApiContent content) {
        return ApiJson.bytes(json -> {
            json.writeStringField("subject", subject);
            ApiJson.content(json, content);
        });
    }

    /** Publishes one message to at most 1,000 subjects and returns an outcome for each, in order. */
    public List<ApiOutcome> broadcast(List<String> subjects, ApiContent content) throws IOException {
        Map<String, Object> answer = post("/v1/broadcast", ApiJson.bytes(json -> {
            ApiJson.texts(json, "subjects", subjects);
            ApiJson.content(json, content);
        }));
        List<Map<String, Object>> results = ApiJson.objects(answer, "results");
        List<ApiOutcome> outcomes = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            outcomes.add(outcome(subjects.get(i), results.get(i)));
        }
        return outcomes;
    }

    private static ApiOutcome outcome(String subject, Map<String, Object> json) {
        return new ApiOutcome(
                subject,
                ApiJson.number(json, "epoch"),
                ApiJson.number(json, "seq"),
                ApiJson.textOrNull(json, "code"),
                ApiJson.textOrNull(json, "reason"));
    }

    /** Returns stored messages of a subject after a position {@code epoch:seq}, or from the oldest on if it is null. */
    public StoredMessages history(String subject, @Nullable String after, int limit) throws IOException {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("subject", subject);
        put(parameters, "after", after);
        parameters.put("limit", Integer.toString(limit));
        return StoredMessages.of(get("/v1/history", parameters));
    }

    /** Returns the members of a subject with presence. */
    public SubjectMembers presence(String subject) throws IOException {
        return SubjectMembers.of(get("/v1/presence", Map.of("subject", subject)));
    }

    /** Removes the stored messages of a subject, the retained one too, and returns the position of the removal. */
    public ApiOutcome removeHistory(String subject) throws IOException {
        String target = "/v1/history" + query(Map.of("subject", subject));
        return outcome(subject, ApiJson.object(call("DELETE", target, null, JSON)));
    }

    /**
     * Returns the subjects that match a pattern, or all if it is null. The iterator reads page after page, and throws an {@link
     * UncheckedIOException}; its cause is an {@link IncompleteCallException} where a node did not answer.
     */
    public Iterable<SubjectEntry> subjects(@Nullable String pattern) {
        Map<String, String> parameters = new LinkedHashMap<>();
        put(parameters, "pattern", pattern);
        return () -> new Pages<>("/v1/subjects", "subjects", parameters, SubjectEntry::of);
    }

    /** Returns those of at most 1,000 subjects that exist. */
    public List<SubjectEntry> subjectsNamed(List<String> subjects) throws IOException {
        Map<String, Object> answer =
                post("/v1/subjects", ApiJson.bytes(json -> ApiJson.texts(json, "subjects", subjects)));
        List<SubjectEntry> found = ApiJson.objects(answer, "subjects").stream()
                .map(SubjectEntry::of)
                .toList();
        requireComplete(found.size(), answer);
        return found;
    }

    /**
     * Returns sessions. The iterator reads page after page, and throws an {@link UncheckedIOException}; its cause is an {@link
     * IncompleteCallException} where the sessions of a node are missing.
     */
    public Iterable<SessionEntry> sessions(SessionFilter filter) {
        Map<String, String> parameters = new LinkedHashMap<>();
        put(parameters, "user", filter.user());
        put(parameters, "subject", filter.subject());
        put(parameters, "state", filter.state());
        return () -> new Pages<>("/v1/sessions", "sessions", parameters, SessionEntry::of);
    }

    /** Returns one session with its subscriptions. */
    public SessionEntry session(String name) throws IOException {
        return SessionEntry.of(get("/v1/sessions/" + encoded(name), Map.of()));
    }

    /** Closes sessions; returns their number. */
    public long disconnect(ApiTarget target, DisconnectOptions options) throws IOException {
        return number("disconnected", post("/v1/disconnect", ApiJson.bytes(json -> {
            json.writeStringField(target.member(), target.name());
            ApiJson.text(json, "reason", options.reason());
            ApiJson.text(json, "except", options.except());
            json.writeBooleanField("reconnect", options.reconnect());
        })));
    }

    /** Subscribes sessions to these subjects and patterns, within their permissions; returns the number of begun subscriptions. */
    public long subscribe(ApiTarget target, List<String> subjects) throws IOException {
        return number("subscribed", post("/v1/subscribe", ApiJson.bytes(json -> {
            json.writeStringField(target.member(), target.name());
            ApiJson.texts(json, "subjects", subjects);
        })));
    }

    /** Ends subscriptions to these subjects and patterns; returns their number. */
    public long unsubscribe(ApiTarget target, List<String> subjects) throws IOException {
        return number("unsubscribed", post("/v1/unsubscribe", ApiJson.bytes(json -> {
            json.writeStringField(target.member(), target.name());
            ApiJson.texts(json, "subjects", subjects);
        })));
    }

    /** Revokes tokens; returns the number of the sessions that were closed. */
    public long revoke(RevokedTokens tokens) throws IOException {
        return number("disconnected", post("/v1/revoke", ApiJson.bytes(json -> {
            ApiJson.text(json, "user", tokens.user());
            ApiJson.text(json, "jti", tokens.jti());
            if (tokens.issuedBefore() != null) {
                json.writeNumberField("issuedBefore", tokens.issuedBefore().toEpochMilli());
            }
            json.writeNumberField("until", tokens.until().toEpochMilli());
        })));
    }

    /** Returns the nodes that the called node knows. */
    public List<NodeEntry> nodes() throws IOException {
        return ApiJson.objects(get("/v1/nodes", Map.of()), "nodes").stream()
                .map(NodeEntry::of)
                .toList();
    }

    /** Asks the sessions of a node to reconnect elsewhere, spread over a time. */
    public void drain(String node, Duration over) throws IOException {
        post(
                "/v1/nodes/" + encoded(node) + "/drain",
                ApiJson.bytes(json -> json.writeNumberField("overMillis", over.toMillis())));
    }

    // ---- calls ----

    private static long number(String name, Map<String, Object> answer) throws IncompleteCallException {
        long number = ApiJson.number(answer, name);
        requireComplete(number, answer);
        return number;
    }

    private static void requireComplete(long done, Map<String, Object> answer) throws IncompleteCallException {
        List<MissingNode> missing = ApiJson.objects(answer, "failed").stream()
                .map(each -> new MissingNode(
                        ApiJson.text(each, "node"), ApiJson.text(each, "code"), ApiJson.text(each, "reason")))
                .toList();
        if (!missing.isEmpty()) {
            throw new IncompleteCallException(done, missing);
        }
    }

    private Map<String, Object> get(String path, Map<String, String> parameters) throws IOException {
        return ApiJson.object(call("GET", path + query(parameters), null, JSON));
    }

    private Map<String, Object> post(String path, byte[] body) throws IOException {
        return ApiJson.object(call("POST", path, body, JSON));
    }

    private byte[] call(String method, String target, byte @Nullable [] body, String type) throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + target))
                .timeout(timeout)
                .header("Authorization", "Bearer " + key)
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        if (body != null) {
            request.header("Content-Type", type);
        }
        try {
            HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
            if (answer.statusCode() != 200) {
                throw fault(answer);
            }
            return answer.body();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted; the outcome of the call is unknown");
        }
    }

    private static ApiException fault(HttpResponse<byte[]> answer) {
        try {
            Map<String, Object> json = ApiJson.object(answer.body());
            if (json.get("code") instanceof String code) {
                return new ApiException(answer.statusCode(), code, ApiJson.text(json, "reason"));
            }
        } catch (IOException notJson) {
            // Answered below.
        }
        return new ApiException(answer.statusCode(), "bad-http", "the answer is not one of the server API");
    }

    private static void put(Map<String, String> parameters, String name, @Nullable String value) {
        if (value != null) {
            parameters.put(name, value);
        }
    }

    private static String query(Map<String, String> parameters) {
        StringBuilder query = new StringBuilder();
        parameters.forEach((name, value) -> query.append(query.isEmpty() ? '?' : '&')
                .append(name)
                .append('=')
                .append(encoded(value)));
        return query.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Reads a list page after page. Owner: the thread that iterates. */
    private final class Pages<T> implements Iterator<T> {
        private final String path;
        private final String list;
        private final Map<String, String> parameters;
        private final Function<Map<String, Object>, T> entry;
        private Iterator<Map<String, Object>> page =
                List.<Map<String, Object>>of().iterator();
        private Map<String, Object> answer = Map.of("next", "");

        Pages(String path, String list, Map<String, String> parameters, Function<Map<String, Object>, T> entry) {
            this.path = path;
            this.list = list;
            this.parameters = new LinkedHashMap<>(parameters);
            this.parameters.put("limit", Integer.toString(PAGE));
            this.entry = entry;
        }

        @Override
        public boolean hasNext() {
            while (!page.hasNext()) {
                if (!read()) {
                    return false;
                }
            }
            return true;
        }

        private boolean read() {
            try {
                requireComplete(0, answer);
                String next = ApiJson.textOrNull(answer, "next");
                if (next == null) {
                    return false;
                }
                if (!next.isEmpty()) {
                    parameters.put("after", next);
                }
                answer = get(path, parameters);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            page = ApiJson.objects(answer, list).iterator();
            return true;
        }

        @Override
        public T next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return entry.apply(page.next());
        }
    }
}
