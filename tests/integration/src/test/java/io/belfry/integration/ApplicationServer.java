package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** An application that gets signed requests, on a free port of loopback. It answers well, or in a wrong way. Any thread. */
final class ApplicationServer implements AutoCloseable {
    /** The way in which requests are answered. */
    enum Behaviour {
        ANSWERS,
        HANGS,
        DIES,
        NONSENSE,
        HUGE,
        NESTED,
        REDIRECTS,
        TRICKLES,
        FAILS,
        GONE,
        ACCEPTS_AND_DIES,
        RANDOM;

        /** The faults, and the code of a question that meets each of them. */
        static final Map<Behaviour, String> CODES_OF_DECISIONS = Map.of(
                HANGS, "decide-timeout",
                TRICKLES, "decide-timeout",
                DIES, "internal",
                NONSENSE, "internal",
                HUGE, "internal",
                NESTED, "internal",
                REDIRECTS, "internal",
                FAILS, "internal");

        /** Publishes with a client while an application behaves like this, and requires that each publish takes less than {@code max}. */
        void requireQuickPublishes(TestClient client, String subject, Duration max) {
            for (int i = 0; i < 20; i++) {
                long begin = System.nanoTime();
                client.publish(subject, "meanwhile");
                assertThat(Duration.ofNanos(System.nanoTime() - begin))
                        .as(name())
                        .isLessThan(max);
            }
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    record Received(Headers headers, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    final List<Received> received = new CopyOnWriteArrayList<>();

    /** The requests that were accepted, although the answer may be lost. */
    final List<Received> accepted = new CopyOnWriteArrayList<>();

    final AtomicInteger elsewhere = new AtomicInteger();
    volatile Behaviour behaviour = Behaviour.ANSWERS;
    private final Function<Received, String> answers;
    private final Random chance = new Random(20);
    private final CountDownLatch closing = new CountDownLatch(1);
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    private ApplicationServer(HttpServer server, Function<Received, String> answers) {
        this.server = server;
        this.answers = answers;
        server.setExecutor(executor);
        server.createContext("/hook", this::receive);
        server.createContext("/elsewhere", exchange -> {
            elsewhere.incrementAndGet();
            send(exchange, 200, "{\"allow\":true}");
        });
        server.start();
    }

    /** Starts an application whose answers this function makes. */
    static ApplicationServer open(Function<Received, String> answers) {
        return open(null, answers);
    }

    static ApplicationServer open(@Nullable SSLContext tls, Function<Received, String> answers) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try {
            if (tls == null) {
                return new ApplicationServer(HttpServer.create(address, 0), answers);
            }
            HttpsServer https = HttpsServer.create(address, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(tls));
            return new ApplicationServer(https, answers);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String url() {
        String scheme = server instanceof HttpsServer ? "https://127.0.0.1:" : "http://127.0.0.1:";
        return scheme + server.getAddress().getPort() + "/hook";
    }

    private void receive(HttpExchange exchange) throws IOException {
        Received request = new Received(
                exchange.getRequestHeaders(), exchange.getRequestBody().readAllBytes());
        received.add(request);
        Behaviour now = behaviour == Behaviour.RANDOM ? random() : behaviour;
        if (now == Behaviour.ANSWERS || now == Behaviour.ACCEPTS_AND_DIES) {
            accepted.add(request);
        }
        switch (now) {
            case ANSWERS, RANDOM -> send(exchange, 200, answers.apply(request));
            case HANGS -> pause(60_000);
            case DIES, ACCEPTS_AND_DIES -> exchange.close();
            case NONSENSE -> send(exchange, 200, "<html>sign in first</html>");
            case HUGE -> send(exchange, 200, "{\"allow\":true,\"user\":\"" + "a".repeat(1 << 20) + "\"}");
            case NESTED -> send(exchange, 200, "[".repeat(10_000));
            case REDIRECTS -> {
                exchange.getResponseHeaders().set("Location", url().replace("/hook", "/elsewhere"));
                send(exchange, 307, "");
            }
            case TRICKLES -> trickle(exchange);
            case GONE -> send(exchange, 410, "");
            case FAILS -> send(exchange, 500, "{\"allow\":true}");
        }
    }

    private synchronized Behaviour random() {
        Behaviour[] some = {Behaviour.ANSWERS, Behaviour.FAILS, Behaviour.DIES, Behaviour.ACCEPTS_AND_DIES};
        return some[chance.nextInt(some.length)];
    }

    private void trickle(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, 0);
        try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 600 && closing.getCount() > 0; i++) {
                out.write(' ');
                out.flush();
                pause(50);
            }
            out.write("{\"allow\":true}".getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void send(HttpExchange exchange, int status, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
        exchange.close();
    }

    private void pause(long millis) {
        try {
            closing.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        executor.close();
    }
}
