package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.belfry.protocol.Code;
import io.belfry.server.config.ApiConfig;
import io.belfry.server.config.ApiNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/**
 * The server APIs of the other nodes. A call is forwarded with the key of the caller, so each node checks its rights and writes its own
 * line to the log. Redirects are not followed. Any thread, except an event loop: the methods wait for the nodes.
 */
final class PeerNodes implements AutoCloseable {
    /** The header of a forwarded call, which is not forwarded again. */
    static final String FORWARDED = "Belfry-Forwarded";

    private static final JsonFactory JSON = new JsonFactory();
    private static final Duration CONNECT_TIME = Duration.ofSeconds(2);

    /** Time for the way to the other node and back, beside the time of its call. */
    private static final long WAY_MILLIS = 2000;

    private static final int ANSWER_BYTES_MAX = 16 << 20;

    /** The outcome of a call on one node. */
    sealed interface Outcome {
        String node();

        /** The node executed the call. */
        @SuppressWarnings("ArrayRecordComponent") // Never compared.
        record Done(String node, byte[] body) implements Outcome {}

        /** The node did not execute the call, or nobody knows. */
        record Failed(String node, int status, String code, String reason) implements Outcome {}
    }

    private final List<ApiNode> peers;
    private final Duration patience;
    private final HttpClient client;

    /** Creates the view of the node {@code own}, which is not among the others. */
    PeerNodes(ApiConfig config, String own) {
        peers = config.nodes().stream().filter(each -> !each.name().equals(own)).toList();
        patience = Duration.ofMillis(config.callMillis() + WAY_MILLIS);
        client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_TIME)
                .followRedirects(HttpClient.Redirect.NEVER)
                .executor(Executors.newVirtualThreadPerTaskExecutor())
                .build();
    }

    boolean isEmpty() {
        return peers.isEmpty();
    }

    List<String> names() {
        return peers.stream().map(ApiNode::name).toList();
    }

    /** Executes a call on all other nodes at the same time, and returns the outcomes in the order of the configuration. */
    List<Outcome> all(ApiRequest call) throws IOException {
        byte[] body = call.body();
        List<CompletableFuture<Outcome>> outcomes = peers.stream()
                .map(each -> send(each, call, call.method(), call.target(), body))
                .toList();
        return outcomes.stream().map(CompletableFuture::join).toList();
    }

    /** Executes a call on one other node; empty if it is not known. */
    Optional<Outcome> one(String node, ApiRequest call, String target) throws IOException {
        byte[] body = call.body();
        return peers.stream()
                .filter(each -> each.name().equals(node))
                .findFirst()
                .map(each -> send(each, call, call.method(), target, body).join());
    }

    /** Executes another call than that of the caller on one other node, with the caller's key. */
    Outcome post(String node, ApiRequest call, String target, byte[] body) {
        return peers.stream()
                .filter(each -> each.name().equals(node))
                .findFirst()
                .map(each -> send(each, call, "POST", target, body).join())
                .orElseThrow();
    }

    private CompletableFuture<Outcome> send(ApiNode to, ApiRequest call, String method, String target, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + to.address() + target))
                .timeout(patience)
                .header("Authorization", call.header("Authorization"))
                .header(FORWARDED, "1");
        if (body.length == 0) {
            request.method(method, HttpRequest.BodyPublishers.noBody());
        } else {
            // Only calls with one object have a body here.
            request.header("Content-Type", ApiReply.JSON).method(method, HttpRequest.BodyPublishers.ofByteArray(body));
        }
        return client.sendAsync(request.build(), BodyHandlers.limiting(BodyHandlers.ofByteArray(), ANSWER_BYTES_MAX))
                .handle((answer, failure) -> failure == null
                        ? outcome(to, answer)
                        : failed(to.name(), "no answer from " + to.address() + ": " + cause(failure)));
    }

    private static String cause(Throwable failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
    }

    private static Outcome failed(String node, String reason) {
        return new Outcome.Failed(node, Code.NODE_UNREACHABLE.httpStatus(), Code.NODE_UNREACHABLE.text(), reason);
    }

    private static Outcome outcome(ApiNode from, HttpResponse<byte[]> answer) {
        try {
            if (answer.statusCode() == 200) {
                String node = text(answer.body(), "node");
                return node.equals(from.name())
                        ? new Outcome.Done(from.name(), answer.body())
                        : failed(from.name(), "the node at " + from.address() + " is " + node + "; correct Api.Nodes");
            }
            return new Outcome.Failed(
                    from.name(), answer.statusCode(), text(answer.body(), "code"), text(answer.body(), "reason"));
        } catch (IOException malformed) {
            return failed(from.name(), from.address() + " does not answer like a server API");
        }
    }

    /** Returns the text of a member of the object. */
    private static String text(byte[] json, String name) throws IOException {
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    boolean wanted = parser.currentName().equals(name);
                    if (parser.nextToken() == JsonToken.VALUE_STRING && wanted) {
                        return parser.getText();
                    }
                    parser.skipChildren();
                }
            }
        }
        throw new IOException("no member " + name);
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
