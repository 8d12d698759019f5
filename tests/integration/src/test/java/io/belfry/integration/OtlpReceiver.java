package io.belfry.integration;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A receiver of OTLP over HTTP on a free port of loopback. It decodes and keeps every request. Any thread. */
final class OtlpReceiver implements AutoCloseable {
    /** The way in which requests are answered. */
    enum Behaviour {
        ACCEPTS,
        FAILS,
        HANGS
    }

    final List<ExportMetricsServiceRequest> metrics = new CopyOnWriteArrayList<>();
    final List<ExportTraceServiceRequest> traces = new CopyOnWriteArrayList<>();
    final List<Headers> headers = new CopyOnWriteArrayList<>();
    final AtomicInteger requests = new AtomicInteger();
    volatile Behaviour behaviour = Behaviour.ACCEPTS;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    private OtlpReceiver(HttpServer server) {
        this.server = server;
        server.setExecutor(executor);
        server.createContext("/base/v1/metrics", exchange -> receive(exchange, "metrics"));
        server.createContext("/base/v1/traces", exchange -> receive(exchange, "traces"));
        server.start();
    }

    static OtlpReceiver open() {
        try {
            return new OtlpReceiver(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/base";
    }

    private void receive(HttpExchange exchange, String signal) throws IOException {
        requests.incrementAndGet();
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (behaviour == Behaviour.HANGS) {
            try {
                closing.await();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
        if (behaviour == Behaviour.ACCEPTS) {
            headers.add(exchange.getRequestHeaders());
            if (signal.equals("metrics")) {
                metrics.add(ExportMetricsServiceRequest.parseFrom(body));
            } else {
                traces.add(ExportTraceServiceRequest.parseFrom(body));
            }
        }
        exchange.sendResponseHeaders(behaviour == Behaviour.ACCEPTS ? 200 : 500, -1);
        exchange.close();
    }

    List<Span> spans() {
        return traces.stream()
                .flatMap(request -> request.getResourceSpansList().stream())
                .flatMap(resource -> resource.getScopeSpansList().stream())
                .flatMap(scope -> scope.getSpansList().stream())
                .toList();
    }

    static List<Metric> metricsOf(ExportMetricsServiceRequest request) {
        return request.getResourceMetricsList().stream()
                .flatMap(resource -> resource.getScopeMetricsList().stream())
                .flatMap(scope -> scope.getMetricsList().stream())
                .toList();
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        executor.close();
    }
}
