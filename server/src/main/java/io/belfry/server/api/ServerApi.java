package io.belfry.server.api;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.belfry.protocol.Code;
import io.belfry.server.config.ListenAddress;
import io.belfry.server.config.LoopbackHost;
import io.belfry.server.counter.Counter;
import io.belfry.server.monitor.ClosingHandler;
import io.belfry.server.monitor.HttpRefusal;
import io.belfry.server.monitor.HttpServerLimits;
import io.belfry.server.workgroup.LaneCallException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listener of the server API, on the JDK's HTTP server like the monitor (docs/decisions/0006). Each request needs a key, whose
 * right must fit the call. Requests run on virtual threads, and their number is limited. Any thread.
 */
public final class ServerApi implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerApi.class);
    private static final int BACKLOG = 50;
    private static final Map<String, String> HEADERS = Map.of(
            "Cache-Control", "no-store",
            "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options", "nosniff");

    private final ApiSetup setup;
    private final HttpServer server;
    private final ExecutorService executor;
    private final List<ApiEndpoint> endpoints;
    private final PeerNodes peers;
    private final Semaphore permits;

    /** The permits of calls that other nodes forward; with those of callers two nodes could wait for each other. */
    private final Semaphore forwardedPermits;

    /** The bytes of answers that are being sent. */
    private final AtomicLong answerBytes = new AtomicLong();

    private volatile ApiKeys keys;

    private ServerApi(ApiSetup setup, ApiKeys keys, HttpServer server) {
        this.setup = setup;
        this.keys = keys;
        this.server = server;
        peers = new PeerNodes(setup.config(), setup.node());
        endpoints = ApiEndpoints.of(setup, peers);
        permits = new Semaphore(setup.config().requests());
        forwardedPermits = new Semaphore(setup.config().requests());
        executor = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("api-http-", 0).factory());
    }

    /** Opens the listener; throws with a message for the operator if the address or the key file cannot be used. */
    public static ServerApi open(ApiSetup setup) throws IOException {
        ApiKeys keys = ApiKeys.read(setup.config().keyFile());
        HttpServerLimits.apply();
        ServerApi api = new ServerApi(setup, keys, bound(setup.config().address()));
        api.server.setExecutor(api.executor);
        api.server.createContext("/", new ClosingHandler("server API", api::handle));
        api.server.start();
        LOG.info(
                "server API: http://{}:{}/v1/",
                api.server.getAddress().getAddress().getHostAddress(),
                api.port());
        return api;
    }

    private static HttpServer bound(ListenAddress listen) throws IOException {
        try {
            InetSocketAddress address = listen.any()
                    ? new InetSocketAddress(listen.port())
                    : new InetSocketAddress(InetAddress.getByName(listen.host()), listen.port());
            if (!address.getAddress().isLoopbackAddress()) {
                LOG.warn(
                        "Api.Listen = {} is reachable from other hosts, and keys are sent over the network"
                                + " unencrypted; use a proxy with TLS",
                        listen);
            }
            return HttpServer.create(address, BACKLOG);
        } catch (IOException failure) {
            throw new IOException("Api.Listen: " + listen + " cannot be opened: " + failure.getMessage(), failure);
        }
    }

    /** Returns the port that was bound. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** Reads the key file again; if that fails, the previous keys stay. */
    public void reload() throws IOException {
        keys = ApiKeys.read(setup.config().keyFile());
    }

    private void handle(HttpExchange exchange) throws IOException {
        ApiReply reply = reply(exchange);
        count(reply.code());
        answerBytes.addAndGet(reply.body().length);
        try {
            send(exchange, reply);
        } finally {
            answerBytes.addAndGet(-reply.body().length);
        }
    }

    private void count(@Nullable Code refused) {
        setup.lanes().getFirst().count(Counter.API_REQUESTS);
        if (refused != null) {
            setup.lanes().getFirst().count(Counter.API_REFUSED);
        }
    }

    private ApiReply reply(HttpExchange exchange) throws IOException {
        try {
            checkSource(exchange);
            ApiKey key = keys.find(exchange.getRequestHeaders().getFirst("Authorization"));
            if (key == null) {
                return ApiReply.refusal(Code.UNAUTHORIZED, "send a key of Api.KeyFile as Authorization: Bearer KEY")
                        .with("WWW-Authenticate", "Bearer");
            }
            return answered(exchange, key);
        } catch (HttpRefusal refused) {
            return ApiReply.refusal(refused.code(), refused.reason());
        } catch (LaneCallException late) {
            return ApiReply.refusal(late.code(), late.reason()).with("Retry-After", "1");
        } catch (RuntimeException failure) {
            LOG.error(
                    "server API: {} {} failed with an internal error",
                    exchange.getRequestMethod(),
                    Audit.oneLine(exchange.getRequestURI().getPath()),
                    failure);
            return ApiReply.refusal(Code.INTERNAL, Code.INTERNAL.sentence());
        }
    }

    /**
     * Refuses requests of web pages, and with a listener on loopback those that name another host. A page has no key, so this is a
     * second protection.
     */
    private void checkSource(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        if (headers.containsKey("Origin")) {
            throw new HttpRefusal(Code.ORIGIN_DENIED, "the server API is for backends; web pages cannot use it");
        }
        List<String> hosts = headers.getOrDefault("Host", List.of());
        if (hosts.size() != 1) {
            throw new HttpRefusal(Code.BAD_REQUEST, "a request needs exactly one Host header");
        }
        String authority = exchange.getRequestURI().getRawAuthority();
        if (server.getAddress().getAddress().isLoopbackAddress()
                && (!LoopbackHost.isNamedBy(hosts.getFirst())
                        || (authority != null && !LoopbackHost.isNamedBy(authority)))) {
            throw new HttpRefusal(
                    Code.ORIGIN_DENIED,
                    "a server API on loopback accepts requests to 127.0.0.1, [::1] and localhost only");
        }
    }

    private ApiReply answered(HttpExchange exchange, ApiKey key) throws IOException {
        String path = exchange.getRequestURI().getRawPath();
        List<ApiEndpoint> atPath = endpoints.stream()
                .filter(each -> each.matches(path).isPresent())
                .toList();
        if (atPath.isEmpty()) {
            throw new HttpRefusal(Code.NOT_FOUND);
        }
        Optional<ApiEndpoint> endpoint = atPath.stream()
                .filter(each -> each.method().equals(exchange.getRequestMethod()))
                .findFirst();
        if (endpoint.isEmpty()) {
            return ApiReply.refusal(Code.METHOD_NOT_ALLOWED, Code.METHOD_NOT_ALLOWED.sentence())
                    .with(
                            "Allow",
                            String.join(
                                    ", ",
                                    atPath.stream().map(ApiEndpoint::method).toList()));
        }
        if (!key.rights().contains(endpoint.get().right())) {
            throw new HttpRefusal(
                    Code.KEY_DENIED,
                    "the key " + key.name() + " does not have the right "
                            + endpoint.get().right().text());
        }
        if (endpoint.get().right() == ApiRight.READ
                && answerBytes.get() >= setup.config().answerBytes()) {
            return overloaded("unread answers exceed Api.AnswerBytes");
        }
        return withPermit(
                endpoint.get(),
                new ApiRequest(
                        exchange,
                        key,
                        endpoint.get().matches(path).orElse(Map.of()),
                        endpoint.get().parameters(),
                        setup.config().bodyBytes()));
    }

    private ApiReply withPermit(ApiEndpoint endpoint, ApiRequest request) throws IOException {
        Semaphore of = request.isForwarded() ? forwardedPermits : permits;
        if (!of.tryAcquire()) {
            return overloaded("more than Api.Requests calls at the same time");
        }
        try {
            return endpoint.handler().serve(request);
        } finally {
            of.release();
        }
    }

    private static ApiReply overloaded(String reason) {
        return ApiReply.refusal(Code.OVERLOADED, reason).with("Retry-After", "1");
    }

    private static void send(HttpExchange exchange, ApiReply reply) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        HEADERS.forEach(headers::set);
        reply.headers().forEach(headers::set);
        headers.set("Content-Type", reply.contentType());
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(reply.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(reply.status(), reply.body().length);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write(reply.body());
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
        peers.close();
    }
}
