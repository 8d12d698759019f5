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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that speaks HTTP: one request after the other, each answered before the next is looked at, so that answers
 * keep their order however late they come. Some requests make it something else. Owner: the loop.
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

    /** The answer that is being taken is the last one. */
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
                : context.limits().handshakeBytes();
    }

    private void lookAtTime(ByteBuf in) {
        bounds.onRead(answering, body != null || in.isReadable());
    }

    /** Answers whether there was a whole head. */
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

    /** All there is to decide is decided by the head; a body is read where somebody may have it read, and not before. */
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
        if (!context.origins().allows(next, isSecure(next))) {
            request = bounds.withoutBody(next);
            refuse(Code.ORIGIN_DENIED, "the origin " + next.header("Origin") + " is not among AllowedOrigins");
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

    /** Answers whether it is whole. */
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
        return context.lane().config().trial().echo() && next.path().equals("/echo");
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
                && api == null
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
            case "/poll" ->
                get(next, () -> admitted(next, principal -> api(principal).poll(next)));
            case "/history" ->
                get(next, () -> admitted(next, principal -> api(principal).history(next)));
            case "/publish" -> refuseMethod("POST");
            case "/health/live" -> get(next, this::answerWell);
            case "/health/ready" -> get(next, this::ready);
            case "/echo" -> echo(next, Unpooled.EMPTY_BUFFER);
            default -> file(next);
        }
    }

    /** A proxy may send each request for another client: the limits are those of this one. */
    private boolean isWithinLimits(HttpRequest next) {
        Code refusal =
                connection.comesFrom(ForwardedFor.client(next.header("X-Forwarded-For"), context.proxies()::trusts));
        if (refusal != null) {
            refuseAndEnd(new Refusal(refusal, refusal.httpStatus(), refusal.sentence()));
        }
        return refusal == null;
    }

    /** Whether the page that asks knows this server by https: what the client spoke, not what its proxy speaks to us. */
    private boolean isSecure(HttpRequest next) {
        String scheme = connection.isForwarding() ? next.header("X-Forwarded-Proto") : null;
        return scheme == null
                ? connection.isSecure()
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

    /** While it was decided on, more may have come than is kept. */
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
            answerText(200, "");
        } else {
            ByteBuf out = context.scratch();
            context.responses().writeStreamHead(out, terms(), wanted.contentType());
            connection.stage(out, 0, out.readableBytes());
            endApi();
            HttpStreamConnection stream = new HttpStreamConnection(connection, wanted, principal);
            become(stream);
            stream.start();
        }
    }

    /** A stream of which nothing can come is none; a browser's EventSource would keep it up for ever. */
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

    /** Whether it may be published is asked before a byte of it is read. */
    private void publish(HttpRequest next) {
        asked(next, principal -> {
            Refusal refusal = api(principal).refusal(next);
            if (refusal != null) {
                request = bounds.withoutBody(next);
                refuse(refusal);
                return;
            }
            connection.onKnown();
            if (next.framing() == HttpRequest.Framing.NONE) {
                api(principal).publish(next, Unpooled.EMPTY_BUFFER);
            } else {
                receive(next, context.lane().config().messages().maxMessageSize());
            }
        });
    }

    private void ready() {
        context.health().notReady().ifPresentOrElse(reason -> refuse(Code.NOT_READY, reason), this::answerWell);
    }

    private void echo(HttpRequest next, ByteBuf content) {
        if (!context.lane().config().trial().echo()) {
            refuse(Code.NOT_FOUND, "there is nothing at " + next.path());
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
                        .ifPresentOrElse(
                                this::answer, () -> refuse(Code.NOT_FOUND, "there is nothing at " + next.path())));
    }

    private void answer(StaticFiles.Found file) {
        if (!unsent.hasRoomForFile()) {
            refuse(Code.OVERLOADED, "others have not taken their answers", ApiCalls.ROOM_MILLIS);
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

    // ---- who is asking ----

    /** Who may do this at all is known from here on. */
    private void admitted(HttpRequest next, Consumer<Principal> then) {
        asked(next, principal -> {
            connection.onKnown();
            then.accept(principal);
        });
    }

    private void asked(HttpRequest next, Consumer<Principal> then) {
        String twice = next.query().repeatedBut("subject");
        if (twice != null) {
            request = bounds.withoutBody(next);
            refuse(Code.BAD_REQUEST, "the parameter " + twice + " is wanted once");
            return;
        }
        String token = Tokens.of(next, context.lane().config().entitlement().tokenInQuery());
        int failures = context.limits().ofAddress().failedTokens();
        long wait = token == null ? 0 : connection.address().tokenWaitMillis(token, failures, context.nowNanos());
        if (wait > 0) {
            request = bounds.withoutBody(next);
            refuse(Code.TOKEN_RATE, "too many tokens of this address were not accepted", wait);
            return;
        }
        answering = true;
        connection.calledLoopback(
                LoopbackHost.isNamedBy(next.host()) || context.origins().names(next));
        Entitlement.Credentials credentials =
                new Entitlement.Credentials(token, connection.isLoopback(), connection.certificateSubject());
        context.lane().admit(credentials, answer -> {
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
            // Where it became something else meanwhile, that goes on with what has come.
            connection.resume();
        });
    }

    private ApiCalls api(Principal principal) {
        if (api == null) {
            api = new ApiCalls(this, connection);
        }
        return api.as(principal);
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

    private void answerWell() {
        answerJson(Unpooled.wrappedBuffer("{\"status\":\"ok\"}".getBytes(StandardCharsets.US_ASCII)));
    }

    private void answerText(int status, String text) {
        ByteBuf out = context.scratch();
        ByteBuf content = Unpooled.wrappedBuffer((text + "\n").getBytes(StandardCharsets.UTF_8));
        context.responses().write(out, terms(), status, "text/plain; charset=utf-8", content);
        answer(out);
    }

    private void refuseMethod(String allowed) {
        context.lane().counters().refused(Code.METHOD_NOT_ALLOWED);
        ByteBuf out = context.scratch();
        context.responses()
                .writeError(out, terms().with("Allow", allowed), Code.METHOD_NOT_ALLOWED, "this path takes " + allowed);
        answer(out);
    }

    void refuse(Code code, String reason) {
        context.lane().counters().refused(code);
        ByteBuf out = context.scratch();
        context.responses().writeError(out, terms(), code, reason);
        answer(out);
    }

    /** Refused for now: the same is welcome in so many ms. */
    void refuse(Code code, String reason, long afterMillis) {
        context.lane().counters().refused(code);
        ByteBuf out = context.scratch();
        context.responses().writeError(out, terms(), code, reason, afterMillis);
        answer(out);
    }

    private void refuse(Refusal refusal) {
        context.lane().counters().refused(refusal.code());
        ByteBuf out = context.scratch();
        context.responses().writeError(out, terms(), refusal);
        answer(out);
    }

    /** What could not be read leaves no place where the next request could begin. */
    private void refuseAndEnd(Refusal refusal) {
        context.lane().counters().refused(refusal.code());
        ByteBuf out = context.scratch();
        context.responses().writeError(out, terms().closing(), refusal);
        connection.stage(out, 0, out.readableBytes());
        releaseBody();
        answering = true;
        connection.endAfterStaged();
    }

    /** Sends a whole answer and goes on to the next request when it is taken, or ends. */
    private void answer(ByteBuf out) {
        ends = request == null || !request.keepAlive();
        connection.stage(out, 0, out.readableBytes());
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

    // ---- the phase ----

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
        // A connection that is kept alive and not used is as silent as a dead one, and so is one that takes nothing.
        return unsent.isUnsent() ? !unsent.isMoving() : !answering;
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
