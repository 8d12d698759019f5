package io.belfry.otlp;

import io.belfry.server.trace.TraceSpan;
import io.belfry.server.trace.Tracer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Exports ended spans in batches. Its thread takes them from the tracer's queue; while the receiver is slow, that queue fills
 * and drops. Owner: its thread.
 */
final class SpanExporter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SpanExporter.class);
    private static final int BATCH = 512;
    private static final long PAUSE_MILLIS = 500;
    private static final long CLOSE_MILLIS = 2000;

    private final Tracer tracer;
    private final OtlpSender sender;
    private final SpanEncoding encoding;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final Thread thread = HttpOtlpExport.daemon(this::run, "belfry-otlp-spans");

    SpanExporter(Tracer tracer, ExportResource resource, OtlpSender sender) {
        this.tracer = tracer;
        this.sender = sender;
        encoding = new SpanEncoding(resource);
    }

    void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!stopping.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
                exportAll();
            }
            exportAll();
        } catch (InterruptedException ended) {
            LOG.debug("spans that the receiver did not accept in time are lost", ended);
        }
    }

    private void exportAll() {
        do {
            export();
        } while (tracer.waiting() >= BATCH && stopping.getCount() > 0);
    }

    private void export() {
        List<TraceSpan> batch = new ArrayList<>();
        tracer.drainTo(batch, BATCH);
        if (batch.isEmpty()) {
            return;
        }
        boolean accepted = false;
        try {
            ExportTraceServiceRequest request = encoding.encode(batch);
            accepted = sender.send("traces", request.toByteArray());
        } catch (RuntimeException failure) {
            LOG.error("spans could not be encoded", failure);
        } finally {
            if (!accepted) {
                tracer.lost(batch.size());
            }
        }
    }

    @Override
    public void close() {
        stopping.countDown();
        try {
            thread.join(CLOSE_MILLIS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
    }
}
