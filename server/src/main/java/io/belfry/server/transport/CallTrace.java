package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.trace.TraceContext;
import io.belfry.server.trace.TraceParent;
import io.belfry.server.trace.TraceSpan;
import io.belfry.server.trace.Tracer;
import org.jspecify.annotations.Nullable;

/** The spans of one traced call: the call itself, and its wait for the entitlement provider. Owner: the loop. */
final class CallTrace {
    private static final int OK = 200;

    private final TraceSpan call;
    private @Nullable TraceSpan decision;

    private CallTrace(TraceSpan call) {
        this.call = call;
    }

    /** Returns the spans of a call of a traced path, or null if the tracer does not record this call. */
    static @Nullable CallTrace of(Tracer tracer, HttpRequest request) {
        TraceSpan call = tracer.call(request.method() + " " + request.path(), parentOf(request));
        return call == null ? null : new CallTrace(call);
    }

    /** Returns the parent that the request names; null if the header is missing, repeated or invalid. */
    private static @Nullable TraceParent parentOf(HttpRequest request) {
        String header = request.headerCount("traceparent") == 1 ? request.header("traceparent") : null;
        return header == null ? null : TraceParent.parse(header);
    }

    TraceContext context() {
        return call.context();
    }

    /** Called if the entitlement provider did not decide at once. */
    void awaitsDecision() {
        decision = call.context().start("entitlement decision", TraceSpan.Kind.INTERNAL);
    }

    void decided() {
        if (decision != null) {
            decision.end();
        }
    }

    void refused(Code code) {
        call.refused(code.httpStatus(), code.text());
    }

    /** Ends the call with its answer; the status is 200 if none was set. */
    void answered() {
        if (call.status() == 0) {
            call.status(OK);
        }
        call.end();
    }

    /** Ends the call of a client that disconnected before its answer. */
    void abandoned() {
        decided();
        call.refused(0, Code.CLIENT_CLOSED.text());
        call.end();
    }
}
