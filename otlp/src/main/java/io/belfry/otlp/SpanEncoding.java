package io.belfry.otlp;

import static io.belfry.otlp.ExportResource.attribute;

import com.google.protobuf.ByteString;
import io.belfry.server.trace.TraceSpan;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.InstrumentationScope;
import io.opentelemetry.proto.resource.v1.Resource;
import io.opentelemetry.proto.trace.v1.ResourceSpans;
import io.opentelemetry.proto.trace.v1.ScopeSpans;
import io.opentelemetry.proto.trace.v1.Span;
import io.opentelemetry.proto.trace.v1.Status;
import java.nio.ByteBuffer;
import java.util.List;

/** Encodes spans for OTLP. Immutable. */
final class SpanEncoding {
    private static final int SERVER_ERROR = 500;

    private final Resource resource;
    private final InstrumentationScope scope;

    SpanEncoding(ExportResource resource) {
        this.resource = resource.encoded();
        scope = InstrumentationScope.newBuilder()
                .setName("io.belfry")
                .setVersion(resource.version())
                .build();
    }

    ExportTraceServiceRequest encode(List<TraceSpan> spans) {
        ScopeSpans.Builder encoded = ScopeSpans.newBuilder().setScope(scope);
        spans.forEach(span -> encoded.addSpans(encode(span)));
        return ExportTraceServiceRequest.newBuilder()
                .addResourceSpans(
                        ResourceSpans.newBuilder().setResource(resource).addScopeSpans(encoded))
                .build();
    }

    private static Span encode(TraceSpan span) {
        Span.Builder out = Span.newBuilder()
                .setTraceId(id(span.traceHigh(), span.traceLow()))
                .setSpanId(id(span.spanId()))
                .setName(span.name())
                .setKind(kind(span.kind()))
                .setStartTimeUnixNano(span.startNanos())
                .setEndTimeUnixNano(span.endNanos());
        if (span.parentId() != 0) {
            out.setParentSpanId(id(span.parentId()));
        }
        if (span.kind() == TraceSpan.Kind.SERVER) {
            call(span, out);
        }
        return out.build();
    }

    /** Adds the attributes of a call. Its name consists of the method and the path. */
    private static void call(TraceSpan span, Span.Builder out) {
        int space = span.name().indexOf(' ');
        out.addAttributes(attribute("http.request.method", span.name().substring(0, space)));
        out.addAttributes(attribute("http.route", span.name().substring(space + 1)));
        if (span.status() != 0) {
            out.addAttributes(attribute("http.response.status_code", span.status()));
        }
        String code = span.code();
        if (code != null) {
            out.addAttributes(attribute("error.type", code));
        }
        if (span.status() >= SERVER_ERROR) {
            out.setStatus(Status.newBuilder().setCode(Status.StatusCode.STATUS_CODE_ERROR));
        }
    }

    private static Span.SpanKind kind(TraceSpan.Kind kind) {
        return switch (kind) {
            case SERVER -> Span.SpanKind.SPAN_KIND_SERVER;
            case INTERNAL -> Span.SpanKind.SPAN_KIND_INTERNAL;
            case PRODUCER -> Span.SpanKind.SPAN_KIND_PRODUCER;
        };
    }

    private static ByteString id(long... parts) {
        ByteBuffer bytes = ByteBuffer.allocate(parts.length * Long.BYTES);
        for (long part : parts) {
            bytes.putLong(part);
        }
        return ByteString.copyFrom(bytes.flip());
    }
}
