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
import io.belfry.server.codec.ReplyTerms;
import io.belfry.server.codec.WebSocketHandshake;
import io.belfry.server.config.LoopbackHost;
import io.belfry.server.counter.Counter;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Replies;
import io.belfry.server.trace.Tracer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection in the HTTP phase. Requests are processed one after the other, each answered before the next is read, so
 * answers keep their order. Some requests change the connection to another phase. Owner: the loop.
 */
final class HttpConnection implements Phase {
    private static final int BODY_BYTES_MAX = 64 << 20;

    private final Connection connection;
    private final LoopContext context;
    private @Nullable HttpRequest request;
    private @Nullable HttpBody body;

    private final RequestBounds bounds;
    private @Nullable ApiCalls api;
    private boolean answering;

    private final UnsentAnswer unsent;

    /** The spans of the current call; null if it is not traced. */
    private @Nullable CallTrace trace;

    /** Whether the answer being sent is the last one. */
    private boolean ends;

    private boolean pausedReading;
    private boolean hadRequest;

    HttpConnection(Connection connection) {
        this.connection = connection;
        this.context = connection.context();
        bounds = new RequestBounds(connection);
        unsent = new UnsentAnswer(connection);
    }

    @Override
    public void onBytes(ByteBuf in) {
        boolean goesOn = true;
        while (goesOn && !answering && in.isReadable() && !connection.isOver()) {
            goesOn = bounds.passOver(in) || (body != null ? readBody(body, in) : readHead(in));
        }
        lookAtTime(in);
        if (answering && in.readableBytes() > pipelinedBytesMax() && !pausedReading) {
            pausedReading = true;
            context.lane().counters().increment(Counter.PIPELINE_PAUSES);
            connection.pauseReading();
        }
    }

    private int pipelinedBytesMax() {
        return connection.isKnown()
                ? context.limits().held().pipelinedBytes()
                : context.limits().ofConnections().handshakeBytes();
    }

    private void lookAtTime(ByteBuf in) {
        bounds.onRead(answering, body != null || in.isReadable());
    }

    /** Reads a request head; returns whether it was complete or invalid. */
    private boolean readHead(ByteBuf in) {
        switch (context.requests().parse(in)) {
            case ParseResult.NeedMore needMore -> {
                return false;
            }
            case Refusal refusal -> refuseAndEnd(refusal);
            case ParseResult.Head head -> begin(head.request());
        }
        return true;
    }

    /** Decides on a request by its head; its body is read only if the client is permitted to send it. */
    private void begin(HttpRequest next) {
        if (hadRequest && !bounds.isWithinRate()) {
            request = next.last();
            refuse(Code.REQUEST_RATE, "more than " + context.limits().load().requestRate() + " requests per second");
            return;
        }
        hadRequest = true;
        request = next;
        if (connection.isForwarding() && !isWithinLimits(next)) {
            return;
        }
        if (next.https() && !connection.servesHttps()) {
            request = bounds.withoutBody(next);
            refuse(Code.MISDIRECTED, Code.MISDIRECTED.sentence());
        } else if (!context.origins().allows(next, isSecure(next))) {
            request = bounds.withoutBody(next);
            refuse(Code.ORIGIN_DENIED, "the origin " + next.header("Origin") + " is not in AllowedOrigins");
        } else if (isEcho(next) && next.framing() != HttpRequest.Framing.NONE) {
            receive(next, BODY_BYTES_MAX);
        } else {
            dispatch(next);
        }
    }

    private void receive(HttpRequest next, int bytesMax) {
        answering = false;
        HttpBody coming =
                HttpBody.of(next, bytesMax, context.lane().config().messages().receiveBufferInitial());
        body = coming;
        readBody(coming, Unpooled.EMPTY_BUFFER);
        lookAtTime(Unpooled.EMPTY_BUFFER);
        if (body != null && next.expectContinue()) {
            ByteBuf out = context.scratch();
            HttpResponses.writeContinue(out);
            connection.send(out);
        }
        readAgain();
    }

    private void readAgain() {
        if (pausedReading) {
            pausedReading = false;
            connection.resumeReading();
        }
        connection.resume();
    }

    /** Reads the body; returns whether it is complete. */
    private boolean readBody(HttpBody reading, ByteBuf in) {
        switch (reading.read(in)) {
            case BodyResult.NeedMore needMore -> {
                return false;
            }
            case Refusal refusal -> refuseAndEnd(refusal);
            case BodyResult.Complete complete -> {
                body = null;
                onBody(java.util.Objects.requireNonNull(request), complete.content());
                reading.release();
            }
        }
        return true;
    }

    private void onBody(HttpRequest next, ByteBuf content) {
        if (isEcho(next)) {
            echo(next, content);
        } else {
            answering = true;
            java.util.Objects.requireNonNull(api).publish(next, content);
        }
    }

    private boolean isEcho(HttpRequest next) {
        return context.lane().config().process().trial().echo() && next.path().equals("/echo");
    }

    private void dispatch(HttpRequest next) {
        if (isSentAway(next)) {
            String reason = context.health().notReady().orElse(Code.NOT_READY.sentence());
            refuseAndEnd(new Refusal(Code.NOT_READY, Code.NOT_READY.httpStatus(), reason));
        } else if (next.path().equals("/publish") && next.method() == HttpMethod.POST) {
            publish(next);
        } else {
            request = bounds.withoutBody(next);
            serve(request);
        }
    }

    private boolean isSentAway(HttpRequest next) {
        return context.admission().isDraining()
                && connection.session() == null
                && next.method() != HttpMethod.OPTIONS
                && !next.path().startsWith("/health/");
    }

    private void serve(HttpRequest next) {
        if (next.method() == HttpMethod.OPTIONS) {
            ByteBuf out = context.scratch();
            context.responses().writePreflight(out, terms());
            answer(out);
            return;
        }
        switch (next.path()) {
            case "/" -> root(next);
            case "/subscribe" -> get(next, () -> admitted(next, principal -> stream(next, principal)));
            case "/poll" -> get(next, () -> admitted(next, principal -> api().poll(next, principal)));
            case "/history" -> get(next, () -> admitted(next, principal -> api().history(next, principal)));
            case "/publish" -> refuseMethod("POST");
            case "/health/live" -> get(next, this::answerHealthy);
            case "/health/ready" -> get(next, this::ready);
            case "/echo" -> echo(next, Unpooled.EMPTY_BUFFER);
            default -> file(next);
        }
    }

    /** Applies the limits of the client's address, because a proxy may send each request for another client. */
    private boolean isWithinLimits(HttpRequest next) {
        Code refusal =
                connection.comesFrom(ForwardedFor.client(next.header("X-Forwarded-For"), context.proxies()::trusts));
        if (refusal != null) {
            refuseAndEnd(new Refusal(refusal, refusal.httpStatus(), refusal.sentence()));
        }
        return refusal == null;
    }

    /**
     * Returns whether the client used https or wss, which its proxy reports; the proxy's own connection may be
     * unencrypted.
     */
    private boolean isSecure(HttpRequest next) {
        String scheme = connection.isForwarding() ? next.header("X-Forwarded-Proto") : null;
        return scheme == null
                ? connection.isSecure() || next.https()
                : scheme.equalsIgnoreCase("https") || scheme.equalsIgnoreCase("wss");
    }

    private void root(HttpRequest next) {
        if (WebSocketHandshake.isWanted(next)) {
            upgrade(
                    next,
                    accepted -> admitted(next, principal -> {
                        writeAccept(accepted);
                        become(new WebSocketConnection(connection, accepted, principal));
                    }));
        } else if (context.files().find("/").isPresent()) {
            file(next);
        } else {
            get(next, () -> upgrade(next, accepted -> {}));
        }
    }

    private void upgrade(HttpRequest next, Consumer<HandshakeResult.Accepted> then) {
        switch (context.handshakes().check(next)) {
            case Refusal refusal -> refuse(refusal);
            case HandshakeResult.Accepted accepted -> then.accept(accepted);
        }
    }

    /** Changes the phase, and resumes reading if it was paused during the decision. */
    private void become(Phase next) {
        connection.become(next);
        if (pausedReading) {
            pausedReading = false;
            connection.resumeReading();
        }
    }

    private void writeAccept(HandshakeResult.Accepted accepted) {
        ByteBuf out = context.scratch();
        WebSocketHandshake.writeAccept(out, accepted);
        connection.stage(out, 0, out.readableBytes());
        connection.flushStaged();
        endApi();
    }

    private void stream(HttpRequest next, Principal principal) {
        StreamRequest wanted = StreamRequest.of(next);
        if (wanted.problem() != null) {
            refuse(wanted.code(), wanted.problem());
        } else if (deniesAll(wanted, principal) instanceof Decision.Denied denied) {
            refuse(denied.code(), denied.reason());
        } else if (next.method() == HttpMethod.HEAD) {
            answerStreamHead(next, wanted);
        } else {
            ReplyTerms terms = terms();
            endApi();
            HttpStreamConnection stream = new HttpStreamConnection(connection, wanted, principal);
            ByteBuf out = context.scratch();
            context.responses()
                    .writeStreamHead(out, terms, wanted.contentType(), stream.sessionName(), stream.pingMillis());
            connection.stage(out, 0, out.readableBytes());
            become(stream);
            stream.start();
        }
    }

    private void answerStreamHead(HttpRequest next, StreamRequest wanted) {
        // For HTTP/1.0, the head of a stream announces that the connection closes.
        request = next.http11() ? next : next.last();
        ByteBuf out = context.scratch();
        context.responses().writeStreamHead(out, terms(), wanted.contentType(), null, 0);
        answer(out);
    }

    /**
     * Returns a denial if all subjects are denied, because EventSource in browsers would keep an empty stream open
     * forever.
     */
    private @Nullable Decision deniesAll(StreamRequest wanted, Principal principal) {
        Decision last = null;
        for (byte[] subject : wanted.subjects()) {
            last = principal.maySubscribe(subject, context.lane().routing().nowMillis());
            if (last instanceof Decision.Allowed) {
                return null;
            }
        }
        return last;
    }

    /** Checks the permission to publish before any byte of the body is read. */
    private void publish(HttpRequest next) {
        authenticate(next, principal -> {
            ApiCalls calls = api().as(principal);
            Refusal refusal = calls.refusal(next);
            if (refusal != null) {
                request = bounds.withoutBody(next);
                refuse(refusal);
                return;
            }
            connection.onKnown();
            if (next.framing() == HttpRequest.Framing.NONE) {
                calls.publish(next, Unpooled.EMPTY_BUFFER);
            } else {
                receive(next, context.lane().config().messages().maxMessageSize());
            }
        });
    }

    private void ready() {
        context.health().notReady().ifPresentOrElse(reason -> refuse(Code.NOT_READY, reason), this::answerHealthy);
    }

    private void echo(HttpRequest next, ByteBuf content) {
        if (!context.lane().config().process().trial().echo()) {
            refuse(Code.NOT_FOUND, "no resource at " + next.path());
        } else if (WebSocketHandshake.isWanted(next)) {
            upgrade(next, accepted -> {
                writeAccept(accepted);
                connection.become(new EchoConnection(connection, accepted.isDeflated()));
            });
        } else {
            ByteBuf out = connection.newBuffer();
            context.responses().write(out, terms(), 200, "application/octet-stream", content);
            answer(out);
            out.release();
        }
    }

    private void file(HttpRequest next) {
        get(
                next,
                () -> context.files()
                        .find(next.path())
                        .ifPresentOrElse(this::answer, () -> refuse(Code.NOT_FOUND, "no resource at " + next.path())));
    }

    private void answer(StaticFiles.Found file) {
        if (!unsent.hasRoomForFile()) {
            refuse(Code.OVERLOADED, "unsent answers of other clients use up Limit.AnswerBytes", ApiCalls.ROOM_MILLIS);
            return;
        }
        unsent.holdFile(file.content().readableBytes());
        ByteBuf out = connection.newBuffer();
        context.responses().write(out, terms(), 200, file.contentType(), file.content());
        answer(out);
        out.release();
    }

    private void get(HttpRequest next, Runnable then) {
        if (next.method() == HttpMethod.GET || next.method() == HttpMethod.HEAD) {
            then.run();
        } else {
            refuseMethod("GET, HEAD");
        }
    }

    // ---- authentication ----

    /** Authenticates the client, marks the connection as known, and passes on the principal. */
    private void admitted(HttpRequest next, Consumer<Principal> then) {
        authenticate(next, principal -> {
            connection.onKnown();
            then.accept(principal);
        });
    }

    private void authenticate(HttpRequest next, Consumer<Principal> then) {
        String twice = next.query().repeatedBut("subject");
        if (twice != null) {
            request = bounds.withoutBody(next);
            refuse(Code.BAD_REQUEST, "the parameter " + twice + " must be given only once");
            return;
        }
        String token = Tokens.of(next, context.lane().config().entitlement().tokenInQuery());
        int failures = context.limits().ofAddress().failedTokens();
        long wait = token == null ? 0 : connection.address().tokenWaitMillis(token, failures, context.nowNanos());
        if (wait > 0) {
            request = bounds.withoutBody(next);
            refuse(Code.TOKEN_RATE, "too many invalid tokens from this address; retry later", wait);
            return;
        }
        answering = true;
        connection.calledLoopback(callsLoopback(next) || context.origins().names(next));
        Entitlement.Credentials credentials =
                new Entitlement.Credentials(token, connection.isLoopback(), connection.certificateSubject());
        Tracer tracer = context.lane().tracer();
        if (tracer != null) {
            trace = CallTrace.of(tracer, next);
        }
        boolean decided = context.lane().admit(credentials, answer -> {
            if (trace != null) {
                trace.decided();
            }
            if (!connection.isOver()) {
                switch (answer) {
                    case Entitlement.Answer.Accepted accepted -> {
                        if (token != null) {
                            connection.address().onTokenAccepted(token);
                        }
                        then.accept(accepted.principal());
                    }
                    case Entitlement.Answer.Rejected rejected -> {
                        if (token != null && rejected.code() == Code.UNAUTHORIZED) {
                            connection.address().onTokenFailed(failures, context.nowNanos());
                        }
                        request = bounds.withoutBody(next);
                        refuse(rejected.code(), rejected.reason());
                    }
                }
            }
            // If the connection changed its phase meanwhile, the new phase gets the bytes that are already here.
            connection.resume();
        });
        if (!decided && trace != null) {
            trace.awaitsDecision();
        }
    }

    /** Returns the spans of the current call; null if it is not traced. */
    @Nullable
    CallTrace trace() {
        return trace;
    }

    /**
     * Returns whether the request names loopback. An absolute target overrides the Host field, so if both are
     * present, both must name loopback.
     */
    private static boolean callsLoopback(HttpRequest next) {
        String field = next.authority() == null ? null : next.header("Host");
        return LoopbackHost.isNamedBy(next.host()) && (field == null || LoopbackHost.isNamedBy(field));
    }

    private ApiCalls api() {
        if (api == null) {
            api = new ApiCalls(this, connection);
        }
        return api;
    }

    private void endApi() {
        if (api != null) {
            api.end();
            api = null;
        }
    }

    // ---- answers ----

    ReplyTerms terms() {
        HttpRequest current = request;
        if (current == null) {
            return ReplyTerms.CLOSE;
        }
        ReplyTerms terms = ReplyTerms.of(current, context.origins().corsOrigin(current, isSecure(current)));
        return context.origins().isSameForAll() ? terms : terms.varying();
    }

    void answerJson(ByteBuf json) {
        ByteBuf out = connection.newBuffer();
        context.responses().write(out, terms(), 200, HttpResponses.JSON, json);
        answer(out);
        out.release();
    }

    private void answerHealthy() {
        answerJson(Unpooled.wrappedBuffer("{\"status\":\"ok\"}".getBytes(StandardCharsets.US_ASCII)));
    }

    /** Answers HEAD for a poll or a history, without computing the body. */
    void answerJsonHead() {
        ByteBuf out = context.scratch();
        context.responses().writeHeadOnly(out, terms(), HttpResponses.JSON);
        answer(out);
    }

    private void refuseMethod(String allowed) {
        context.lane().counters().refused(Code.METHOD_NOT_ALLOWED);
        ByteBuf out = context.scratch();
        context.responses()
                .writeError(
                        out,
                        terms().with("Allow", allowed),
                        Code.METHOD_NOT_ALLOWED,
                        "this path allows only " + allowed);
        answer(out);
    }

    void refuse(Code code, String reason) {
        onRefused(code);
        ByteBuf out = context.scratch();
        context.responses().writeError(out, terms(), code, reason);
        answer(out);
    }

    /** Refuses a request temporarily; the client may retry after this time in ms. */
    void refuse(Code code, String reason, long afterMillis) {
        onRefused(code);
        ByteBuf out = context.scratch();
        context.responses().writeError(out, terms(), code, reason, afterMillis);
        answer(out);
    }

    private void refuse(Refusal refusal) {
        onRefused(refusal.code());
        ByteBuf out = context.scratch();
        context.responses().writeError(out, terms(), refusal);
        answer(out);
    }

    /** Refuses unreadable input and closes, because the start of the next request is unknown. */
    private void refuseAndEnd(Refusal refusal) {
        onRefused(refusal.code());
        ByteBuf out = context.scratch();
        context.responses().writeError(out, terms().closing(), refusal);
        connection.stage(out, 0, out.readableBytes());
        releaseBody();
        answering = true;
        endTrace();
        connection.endAfterStaged();
    }

    private void onRefused(Code code) {
        context.lane().counters().refused(code);
        if (trace != null) {
            trace.refused(code);
        }
    }

    private void endTrace() {
        if (trace != null) {
            trace.answered();
            trace = null;
        }
    }

    /** Sends a complete answer; continues with the next request once the answer is written, or closes. */
    private void answer(ByteBuf out) {
        ends = request == null || !request.keepAlive();
        connection.stage(out, 0, out.readableBytes());
        endTrace();
        request = null;
        answering = true;
        if (unsent.send()) {
            goOn();
        }
    }

    @Override
    public void onWritable() {
        if (unsent.onTaken()) {
            goOn();
        }
    }

    private void goOn() {
        answering = false;
        unsent.release();
        if (ends) {
            connection.endAfterStaged();
            return;
        }
        if (api != null) {
            api.onTaken();
        }
        connection.watch();
        readAgain();
    }

    // ---- phase ----

    /** Closes if no request is pending; {@link Connection#resume} calls this method again after each answer. */
    @Override
    public void onInputEnd() {
        if (!answering) {
            connection.closeAfterStaged();
        }
    }

    @Override
    public Replies replies() {
        return java.util.Objects.requireNonNull(api);
    }

    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        if ((answering && !unsent.isUnsent()) || awaitsHandshake()) {
            context.responses().writeError(out, terms().closing(), code, reason);
        }
    }

    @Override
    public boolean ping() {
        // Unused keep-alive connections and connections that read no answer are as silent as dead connections.
        return unsent.isUnsent() ? !unsent.isMoving() : !answering || isHeardBySystem();
    }

    @Override
    public boolean isHeardBySystem() {
        return !unsent.isUnsent() && api != null && api.isPolling() && connection.showsAcknowledgements();
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
        unsent.release();
        bounds.settle();
        if (trace != null) {
            trace.abandoned();
            trace = null;
        }
        if (api != null) {
            api.release();
        }
    }

    private void releaseBody() {
        if (body != null) {
            body.release();
            body = null;
        }
    }
}
