package io.belfry.server.monitor;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.belfry.protocol.Code;
import io.belfry.server.config.LoopbackHost;
import io.belfry.server.config.MonitorConfig;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP monitor: a few read-only pages on the JDK's HTTP server (docs/decisions/0006). Requests run on virtual
 * threads, and their number is limited. Owner: the thread that starts and stops the server.
 */
final class HttpListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);

    /** Maximum number of pages created at the same time; further requests are refused. Health pages have no limit. */
    private static final int PAGES_AT_ONCE = 16;

    private static final int BACKLOG = 50;
    private static final Map<String, String> HEADERS = Map.of(
            "Cache-Control", "no-store",
            "Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'",
            "Referrer-Policy", "no-referrer",
            "X-Content-Type-Options", "nosniff",
            "X-Frame-Options", "DENY");

    private final HttpServer server;
    private final ExecutorService executor;
    private final Map<String, Page> pages;
    private final Optional<BasicAuthentication> authentication;
    private final Semaphore permits = new Semaphore(PAGES_AT_ONCE);

    private HttpListener(HttpServer server, Map<String, Page> pages, Optional<BasicAuthentication> authentication) {
        this.server = server;
        this.pages = Map.copyOf(pages);
        this.authentication = authentication;
        this.executor = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("monitor-http-", 0).factory());
    }

    static HttpListener open(
            MonitorConfig config,
            Optional<Credentials> credentials,
            Map<String, Page> pages,
            MonitorExtension extension)
            throws IOException {
        InetSocketAddress address = new Exposure(
                        "MonitorHTTP",
                        config.http().address(),
                        config.http().authentication(),
                        config.http().authenticationWritten(),
                        false)
                .checkedAddress();
        HttpServerLimits.apply();
        HttpListener listener = new HttpListener(bound(address), pages, credentials.map(BasicAuthentication::new));
        extension.pages(credentials).forEach(listener::add);
        listener.start();
        LOG.info("HTTP monitor: http://{}:{}/", address.getHostString(), listener.port());
        return listener;
    }

    private static HttpServer bound(InetSocketAddress address) throws IOException {
        try {
            return HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new IOException("MonitorHTTP.Listen: " + address + " cannot be opened: " + e.getMessage(), e);
        }
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Adds pages below a path. They check passwords themselves; requests of foreign pages do not reach them. */
    private void add(String path, HttpHandler handler) {
        serve(path, exchange -> {
            Optional<Answer> refusal = foreign(exchange);
            if (refusal.isPresent()) {
                send(exchange, refusal.get());
            } else {
                handler.handle(exchange);
            }
        });
    }

    private void serve(String path, HttpHandler handler) {
        server.createContext(path, new ClosingHandler("HTTP monitor", handler));
    }

    /** Returns the refusal of a request that a page of another origin sent. */
    private Optional<Answer> foreign(HttpExchange exchange) throws IOException {
        if (!hasOwnOrigin(exchange.getRequestHeaders())) {
            return Optional.of(originRefusal());
        }
        return hasExpectedHost(exchange) ? Optional.empty() : Optional.of(hostRefusal());
    }

    private static Answer originRefusal() throws IOException {
        return Answer.refusal(Code.ORIGIN_DENIED, "The monitor accepts requests of its own origin only.");
    }

    private static Answer hostRefusal() throws IOException {
        return Answer.refusal(
                Code.ORIGIN_DENIED,
                "Without a password, the monitor accepts requests to 127.0.0.1, [::1] and localhost only.");
    }

    private void start() {
        server.setExecutor(executor);
        serve("/", exchange -> send(exchange, answer(exchange)));
        server.start();
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        if (!hasOwnOrigin(exchange.getRequestHeaders())) {
            return originRefusal();
        }
        Page page = pages.get(exchange.getRequestURI().getPath());
        if (page == null) {
            return Answer.refusal(Code.NOT_FOUND);
        }
        if (!exchange.getRequestMethod().equals("GET")
                && !exchange.getRequestMethod().equals("HEAD")) {
            return Answer.refusal(Code.METHOD_NOT_ALLOWED).with("Allow", "GET, HEAD");
        }
        if (!page.open() && !hasExpectedHost(exchange)) {
            return hostRefusal();
        }
        if (!page.open() && !authenticated(exchange)) {
            return Answer.refusal(Code.UNAUTHORIZED, "Send the monitor's username and password.")
                    .with("WWW-Authenticate", BasicAuthentication.CHALLENGE);
        }
        return page.open() ? create(page, exchange) : createWithPermit(page, exchange);
    }

    /**
     * Returns whether a request has the monitor's own origin, or no Origin because no web page sent it. A browser adds
     * the monitor's password to requests of any page. Other origins are refused, even those in AllowedOrigins.
     */
    private static boolean hasOwnOrigin(Headers request) {
        List<String> origins = request.getOrDefault("Origin", List.of());
        return origins.isEmpty()
                || (origins.size() == 1 && origins.getFirst().equalsIgnoreCase("http://" + request.getFirst("Host")));
    }

    /**
     * Returns false for requests of DNS rebinding attacks. A web page whose host name resolves to this machine has the
     * same origin as the monitor, so its browser would pass the response to the page. If a password is required, the
     * attack fails, because the browser has no password for this name. Otherwise the Host header must name loopback.
     */
    private boolean hasExpectedHost(HttpExchange exchange) {
        return authentication.isPresent()
                || !server.getAddress().getAddress().isLoopbackAddress()
                || (LoopbackHost.isNamedBy(exchange.getRequestHeaders().getFirst("Host"))
                        && hasExpectedTarget(exchange));
    }

    /** Returns whether an absolute request target names loopback. The target takes precedence over the Host header. */
    private static boolean hasExpectedTarget(HttpExchange exchange) {
        String authority = exchange.getRequestURI().getRawAuthority();
        return authority == null || LoopbackHost.isNamedBy(authority);
    }

    private boolean authenticated(HttpExchange exchange) {
        return authentication
                .map(rule -> rule.accepts(
                        exchange.getRequestHeaders().getFirst("Authorization"),
                        exchange.getRemoteAddress().getAddress().getHostAddress()))
                .orElse(true);
    }

    private Answer createWithPermit(Page page, HttpExchange exchange) throws IOException {
        if (!permits.tryAcquire()) {
            return Answer.refusal(Code.OVERLOADED).with("Retry-After", "1");
        }
        try {
            return create(page, exchange);
        } finally {
            permits.release();
        }
    }

    private static Answer create(Page page, HttpExchange exchange) throws IOException {
        try {
            return page.answer(exchange.getRequestHeaders());
        } catch (RuntimeException e) {
            LOG.error(
                    "HTTP monitor: page {} failed with an internal error",
                    exchange.getRequestURI().getPath(),
                    e);
            return Answer.refusal(Code.INTERNAL);
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        Headers headers = exchange.getResponseHeaders();
        HEADERS.forEach(headers::set);
        answer.headers().forEach(headers::set);
        headers.set("Content-Type", answer.contentType());
        if (exchange.getRequestMethod().equals("HEAD")) {
            headers.set("Content-Length", Integer.toString(bytes.length));
            exchange.sendResponseHeaders(answer.status(), -1);
            return;
        }
        exchange.sendResponseHeaders(answer.status(), bytes.length);
        try (OutputStream body = exchange.getResponseBody()) {
            body.write(bytes);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
