package io.belfry.server.monitor;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
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
 * The HTTP monitor: a few pages that are only read, on the JDK's own server (docs/decisions/0006). Owner: the thread
 * that starts and stops the server; requests run on virtual threads, bounded in number.
 */
final class HttpListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpListener.class);

    /** Pages made at the same time; who comes beyond that is told to come again. Health is never held up by them. */
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

    static HttpListener open(MonitorConfig config, Optional<Credentials> credentials, Map<String, Page> pages)
            throws IOException {
        InetSocketAddress address = new Exposure(
                        "MonitorHTTP",
                        config.httpListen(),
                        config.httpAuthentication(),
                        config.httpAuthenticationWritten(),
                        false)
                .checkedAddress();
        setProcessDefaults();
        HttpListener listener = new HttpListener(bound(address), pages, credentials.map(BasicAuthentication::new));
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

    private void start() {
        server.setExecutor(executor);
        server.createContext("/", this::handle);
        server.start();
    }

    private void handle(HttpExchange exchange) {
        try (exchange) {
            send(exchange, answer(exchange));
        } catch (IOException e) {
            LOG.debug("The client of the HTTP monitor went away", e);
        }
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        if (!isOfOwnPage(exchange.getRequestHeaders())) {
            return Answer.refusal(Code.ORIGIN_DENIED, "The monitor is for its own pages only.");
        }
        Page page = pages.get(exchange.getRequestURI().getPath());
        if (page == null) {
            return Answer.refusal(Code.NOT_FOUND);
        }
        if (!exchange.getRequestMethod().equals("GET")
                && !exchange.getRequestMethod().equals("HEAD")) {
            return Answer.refusal(Code.METHOD_NOT_ALLOWED).with("Allow", "GET, HEAD");
        }
        if (!page.open() && !isCalledByItsName(exchange)) {
            return Answer.refusal(
                    Code.ORIGIN_DENIED,
                    "Without a password the monitor answers to 127.0.0.1, [::1] and localhost only.");
        }
        if (!page.open() && !authenticated(exchange)) {
            return Answer.refusal(Code.UNAUTHORIZED, "The monitor's username and password are needed.")
                    .with("WWW-Authenticate", BasicAuthentication.CHALLENGE);
        }
        return page.open() ? made(page, exchange) : madeWithPermit(page, exchange);
    }

    /**
     * A browser sends the monitor's password by itself, whatever page asks. Pages of other origins get nothing, not even
     * where AllowedOrigins names them; what is no page has no Origin.
     */
    private static boolean isOfOwnPage(Headers request) {
        List<String> origins = request.getOrDefault("Origin", List.of());
        return origins.isEmpty()
                || (origins.size() == 1 && origins.getFirst().equalsIgnoreCase("http://" + request.getFirst("Host")));
    }

    /**
     * A page whose owner lets its name point to this machine is of the same origin as what it finds here, so its browser
     * hands it everything. The password, which that browser does not know under this name, keeps it out, or else this.
     */
    private boolean isCalledByItsName(HttpExchange exchange) {
        return authentication.isPresent()
                || !server.getAddress().getAddress().isLoopbackAddress()
                || LoopbackHost.isNamedBy(exchange.getRequestHeaders().getFirst("Host"));
    }

    private boolean authenticated(HttpExchange exchange) {
        return authentication
                .map(rule -> rule.accepts(
                        exchange.getRequestHeaders().getFirst("Authorization"),
                        exchange.getRemoteAddress().getAddress().getHostAddress()))
                .orElse(true);
    }

    private Answer madeWithPermit(Page page, HttpExchange exchange) throws IOException {
        if (!permits.tryAcquire()) {
            return Answer.refusal(Code.OVERLOADED).with("Retry-After", "1");
        }
        try {
            return made(page, exchange);
        } finally {
            permits.release();
        }
    }

    private static Answer made(Page page, HttpExchange exchange) throws IOException {
        try {
            return page.answer(exchange.getRequestHeaders());
        } catch (RuntimeException e) {
            LOG.error("The monitor's page {} failed", exchange.getRequestURI().getPath(), e);
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

    /** The JDK's server takes its bounds from the process only, once; what the operator set stays. */
    private static void setProcessDefaults() {
        setDefault("jdk.httpserver.maxConnections", "256");
        setDefault("sun.net.httpserver.maxReqTime", "10");
        setDefault("sun.net.httpserver.maxRspTime", "30");
        setDefault("sun.net.httpserver.nodelay", "true");
    }

    private static void setDefault(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
