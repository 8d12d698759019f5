package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.BodyResult;
import io.belfry.server.codec.ForwardedFor;
import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.codec.HttpBody;
import io.belfry.server.codec.HttpMethod;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.HttpResponses;
import io.belfry.server.codec.ParseResult;
import io.belfry.server.codec.Refusal;
import io.belfry.server.codec.WebSocketHandshake;
import io.belfry.server.config.LoopbackHost;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Replies;
import io.belfry.server.trace.Tracer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection in the HTTP phase: reads requests, one after the other, checks what all requests must fulfil, and passes
 * each to its {@link HttpEndpoint}. Each request is answered before the next is read, so answers keep their order. Some
 * requests change the connection to another phase. Owner: the loop.
 */
final class HttpConnection implements Phase, EndpointExchange, HttpAnswer.RequestReader {
    /** Parameters that a request may repeat. */
    private static final Set<String> SEVERAL_TIMES = Set.of("subject", "header");

    /** The answer to the current request. It knows the connection, which has no field here, to keep this object small. */
    private final HttpAnswer answer;

    private final ClientProtocols protocols;
    private final RequestBounds bounds;
    private HttpEndpoint endpoint;
    private @Nullable HttpBody body;

    /** Gets the body when it is complete; the content is valid during the call. */
    private @Nullable Consumer<ByteBuf> bodyReceiver;

    private @Nullable ApiSession api;
    private boolean pausedReading;
    private boolean hadRequest;

    HttpConnection(Connection connection, ClientProtocols protocols) {
        this.protocols = protocols;
        endpoint = protocols.ofPath("");
        bounds = new RequestBounds(connection);
        answer = new HttpAnswer(this, connection);
    }

    @Override
    public Connection connection() {
        return answer.connection();
    }

    @Override
    public LoopContext context() {
        return answer.context();
    }

    @Override
    public HttpAnswer answer() {
        return answer;
    }

    // ---- reading ----

    @Override
    public void onBytes(ByteBuf in) {
        boolean goesOn = true;
        while (goesOn && !answer.isPending() && in.isReadable() && !connection().isOver()) {
            goesOn = bounds.passOver(in) || (body != null ? readBody(body, in) : readHead(in));
        }
        lookAtTime(in);
        if (answer.isPending() && in.readableBytes() > pipelinedBytesMax() && !pausedReading) {
            pausedReading = true;
            context().lane().counters().increment(Counter.PIPELINE_PAUSES);
            connection().pauseReading();
        }
    }

    private int pipelinedBytesMax() {
        return connection().isKnown()
                ? context().limits().held().pipelinedBytes()
                : context().limits().ofConnections().handshakeBytes();
    }

    private void lookAtTime(ByteBuf in) {
        bounds.onRead(answer.isPending(), body != null || in.isReadable());
    }

    /** Reads a request head; returns whether it was complete or invalid. */
    private boolean readHead(ByteBuf in) {
        switch (context().requests().parse(in)) {
            case ParseResult.NeedMore needMore -> {
                return false;
            }
            case Refusal refusal -> refuseAndEnd(refusal);
            case ParseResult.Head head -> begin(head.request());
        }
        return true;
    }

    @Override
    public void receive(HttpRequest request, int bytesMax, Consumer<ByteBuf> receiver) {
        answer.pending(false);
        HttpBody coming = HttpBody.of(
                request, bytesMax, context().lane().config().messages().receiveBufferInitial());
        body = coming;
        bodyReceiver = receiver;
        readBody(coming, Unpooled.EMPTY_BUFFER);
        lookAtTime(Unpooled.EMPTY_BUFFER);
        if (body != null && request.expectContinue()) {
            ByteBuf out = context().scratch();
            HttpResponses.writeContinue(out);
            connection().send(out);
        }
        readAgain();
    }

    /** Reads the body; returns whether it is complete. */
    private boolean readBody(HttpBody reading, ByteBuf in) {
        switch (reading.read(in)) {
            case BodyResult.NeedMore needMore -> {
                return false;
            }
            case Refusal refusal -> refuseAndEnd(refusal);
            case BodyResult.Complete complete -> {
                Consumer<ByteBuf> receiver = java.util.Objects.requireNonNull(bodyReceiver);
                body = null;
                bodyReceiver = null;
                answer.pending(true);
                receiver.accept(complete.content());
                reading.release();
            }
        }
        return true;
    }

    @Override
    public void skipBody(HttpRequest request) {
        answer.request(bounds.withoutBody(request));
    }

    private void readAgain() {
        resumeReading();
        connection().resume();
    }

    private void resumeReading() {
        if (pausedReading) {
            pausedReading = false;
            connection().resumeReading();
        }
    }

    @Override
    public void onAnswered() {
        if (api != null) {
            api.onTaken();
        }
        connection().watch();
        readAgain();
    }

    // ---- requests ----

    /** Decides on a request by its head. */
    private void begin(HttpRequest next) {
        if (hadRequest && !bounds.isWithinRate()) {
            answer.request(next.last());
            answer.refuse(
                    Code.REQUEST_RATE, "more than " + context().limits().load().requestRate() + " requests per second");
            return;
        }
        hadRequest = true;
        answer.request(next);
        if (connection().isForwarding() && !isWithinLimits(next)) {
            return;
        }
        endpoint = protocols.ofPath(next.path());
        if (next.https() && !connection().servesHttps()) {
            skipBody(next);
            answer.refuse(Code.MISDIRECTED, Code.MISDIRECTED.sentence());
        } else if (!context().origins().allows(next, isSecure(next))) {
            skipBody(next);
            answer.refuse(Code.ORIGIN_DENIED, "the origin " + next.header("Origin") + " is not in AllowedOrigins");
        } else if (endpoint.body() == HttpEndpoint.Body.FIRST && next.framing() != HttpRequest.Framing.NONE) {
            endpoint.handler().serve(this, next);
        } else if (isSentAway(next)) {
            String reason = context().health().notReady().orElse(Code.NOT_READY.sentence());
            refuseAndEnd(new Refusal(Code.NOT_READY, Code.NOT_READY.httpStatus(), reason));
        } else if (endpoint.takesBody(next)) {
            endpoint.handler().serve(this, next);
        } else {
            HttpRequest alone = bounds.withoutBody(next);
            answer.request(alone);
            serve(alone);
        }
    }

    /** Serves a request whose body is skipped. */
    private void serve(HttpRequest request) {
        if (request.method() == HttpMethod.OPTIONS) {
            answer.preflight();
        } else if (endpoint.methods().include(request.method())) {
            endpoint.handler().serve(this, request);
        } else {
            answer.refuseMethod(endpoint.methods().names());
        }
    }

    private boolean isSentAway(HttpRequest next) {
        return context().admission().isDraining()
                && connection().session() == null
                && next.method() != HttpMethod.OPTIONS
                && !next.path().startsWith("/health/");
    }

    /** Applies the limits of the client's address, because a proxy may send each request for another client. */
    private boolean isWithinLimits(HttpRequest next) {
        Code refusal = connection()
                .comesFrom(ForwardedFor.client(
                        next.header("X-Forwarded-For"), context().proxies()::trusts));
        if (refusal != null) {
            refuseAndEnd(new Refusal(refusal, refusal.httpStatus(), refusal.sentence()));
        }
        return refusal == null;
    }

    /**
     * Returns whether the client used https or wss, which its proxy reports; the proxy's own connection may be
     * unencrypted.
     */
    @Override
    public boolean isSecure(HttpRequest next) {
        String scheme = connection().isForwarding() ? next.header("X-Forwarded-Proto") : null;
        return scheme == null
                ? connection().isSecure() || next.https()
                : scheme.equalsIgnoreCase("https") || scheme.equalsIgnoreCase("wss");
    }

    private void refuseAndEnd(Refusal refusal) {
        releaseBody();
        answer.refuseAndEnd(refusal);
    }

    // ---- admission ----

    @Override
    public void admit(HttpRequest request, Consumer<Principal> then) {
        authenticate(request, principal -> {
            connection().onKnown();
            then.accept(principal);
        });
    }

    @Override
    public void authenticate(HttpRequest request, Consumer<Principal> then) {
        String twice = request.query().repeatedBut(SEVERAL_TIMES);
        if (twice != null) {
            skipBody(request);
            answer.refuse(Code.BAD_REQUEST, "the parameter " + twice + " must be given only once");
            return;
        }
        boolean inQuery = endpoint.reads("token")
                && context().lane().config().entitlement().tokenInQuery();
        String token = Tokens.of(request, inQuery);
        int failures = context().limits().ofAddress().failedTokens();
        long wait = token == null
                ? 0
                : connection()
                        .address()
                        .tokenWaitMillis(token, failures, context().nowNanos());
        if (wait > 0) {
            skipBody(request);
            answer.refuse(Code.TOKEN_RATE, "too many invalid tokens from this address; retry later", wait);
            return;
        }
        answer.pending(true);
        connection()
                .calledLoopback(callsLoopback(request) || context().origins().names(request));
        Entitlement.Credentials credentials = new Entitlement.Credentials(
                token, connection().isLoopback(), connection().certificateSubject(), factsOf(request));
        answer.trace(traceOf(request));
        boolean decided = context().lane().admit(credentials, decision -> {
            if (answer.trace() != null) {
                answer.trace().decided();
            }
            if (!connection().isOver()) {
                onDecided(request, token, decision, then);
            }
            // If the connection changed its phase meanwhile, the new phase gets the bytes that are already here.
            connection().resume();
        });
        if (!decided && answer.trace() != null) {
            answer.trace().awaitsDecision();
        }
    }

    private Entitlement.@Nullable Facts factsOf(HttpRequest request) {
        return context()
                .lane()
                .config()
                .entitlement()
                .decide()
                .map(asked -> DecisionFacts.of(request, connection().address().text(), asked.headers()))
                .orElse(null);
    }

    private @Nullable CallTrace traceOf(HttpRequest request) {
        Tracer tracer = context().lane().tracer();
        return tracer == null || !endpoint.traced() ? null : CallTrace.of(tracer, request);
    }

    private void onDecided(
            HttpRequest request, @Nullable String token, Entitlement.Answer decision, Consumer<Principal> then) {
        switch (decision) {
            case Entitlement.Answer.Accepted accepted -> {
                if (token != null) {
                    connection().address().onTokenAccepted(token);
                }
                then.accept(accepted.principal());
            }
            case Entitlement.Answer.Rejected rejected -> {
                if (token != null && rejected.code() == Code.UNAUTHORIZED) {
                    int failures = context().limits().ofAddress().failedTokens();
                    connection().address().onTokenFailed(failures, context().nowNanos());
                }
                skipBody(request);
                answer.refuse(rejected.code(), rejected.reason());
            }
        }
    }

    /**
     * Returns whether the request names loopback. An absolute target overrides the Host field, so if both are
     * present, both must name loopback.
     */
    private static boolean callsLoopback(HttpRequest next) {
        String field = next.authority() == null ? null : next.header("Host");
        return LoopbackHost.isNamedBy(next.host()) && (field == null || LoopbackHost.isNamedBy(field));
    }

    @Override
    public ApiSession api() {
        if (api == null) {
            api = new ApiSession(answer);
        }
        return api;
    }

    // ---- change of the phase ----

    @Override
    public void endApi() {
        if (api != null) {
            api.close();
            api = null;
        }
    }

    /** Sends the answer and the first event of the session by one write: writes are the largest part of a connection's cost. */
    @Override
    public void beginWebSocket(HandshakeResult.Accepted accepted, Principal principal) {
        stageAccept(accepted);
        become(protocols.ofSubprotocol(accepted.subprotocol()).overWebSocket(connection(), accepted, principal));
        connection().flushStaged();
    }

    @Override
    public void accept(HandshakeResult.Accepted accepted) {
        stageAccept(accepted);
        connection().flushStaged();
    }

    private void stageAccept(HandshakeResult.Accepted accepted) {
        ByteBuf out = context().scratch();
        WebSocketHandshake.writeAccept(out, accepted);
        connection().stage(out, 0, out.readableBytes());
        endApi();
    }

    @Override
    public void become(Phase next) {
        connection().become(next);
        resumeReading();
    }

    // ---- phase ----

    @Override
    public void onWritable() {
        answer.onWritable();
    }

    /** Closes if no request is pending; {@link Connection#resume} calls this method again after each answer. */
    @Override
    public void onInputEnd() {
        if (!answer.isPending()) {
            connection().closeAfterStaged();
        }
    }

    @Override
    public Replies replies() {
        return java.util.Objects.requireNonNull(api);
    }

    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        if ((answer.isPending() && !answer.isUnsent()) || awaitsHandshake()) {
            context().responses().writeError(out, answer.terms().closing(), code, reason);
        }
    }

    @Override
    public boolean ping() {
        // Unused keep-alive connections and connections that read no answer are as silent as dead connections.
        return answer.isUnsent() ? !answer.isMoving() : !answer.isPending() || isHeardBySystem();
    }

    @Override
    public boolean isHeardBySystem() {
        return !answer.isUnsent()
                && api != null
                && api.isPolling()
                && connection().showsAcknowledgements();
    }

    @Override
    public boolean awaitsHandshake() {
        return !hadRequest || bounds.isAwaited();
    }

    @Override
    public int incompleteBytes() {
        return body == null ? 0 : body.heldBytes();
    }

    @Override
    public void onGone() {
        releaseBody();
        bounds.settle();
        answer.abandon();
        if (api != null) {
            api.release();
        }
    }

    private void releaseBody() {
        if (body != null) {
            body.release();
            body = null;
        }
        bodyReceiver = null;
    }
}
