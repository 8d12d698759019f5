package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.BodyResult;
import io.belfry.server.codec.HandshakeResult;
import io.belfry.server.codec.HttpBody;
import io.belfry.server.codec.HttpMethod;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.HttpResponses;
import io.belfry.server.codec.ParseResult;
import io.belfry.server.codec.Refusal;
import io.belfry.server.codec.ReplyTerms;
import io.belfry.server.codec.WebSocketHandshake;
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
    /** Bytes of further requests kept while one is being answered; beyond, reading pauses. */
    private static final int PIPELINED_BYTES_MAX = 64 * 1024;

    private static final int BODY_BYTES_MAX = 64 << 20;

    private final Connection connection;
    private final LoopContext context;
    private @Nullable HttpRequest request;
    private @Nullable HttpBody body;
    private @Nullable ApiCalls api;
    private boolean answering;

    /** The answer is written and not all of it taken: until it is, the next request waits. */
    private boolean unsent;

    private boolean pausedReading;
    private boolean hadRequest;

    HttpConnection(Connection connection) {
        this.connection = connection;
        this.context = connection.context();
    }

    @Override
    public void onBytes(ByteBuf in) {
        while (!answering && in.isReadable()) {
            if (body != null) {
                readBody(body, in);
                if (body != null) {
                    return;
                }
            } else if (!readHead(in)) {
                return;
            }
        }
        if (answering && in.readableBytes() > PIPELINED_BYTES_MAX && !pausedReading) {
            pausedReading = true;
            connection.pauseReading();
        }
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

    private void begin(HttpRequest next) {
        hadRequest = true;
        request = next;
        if (next.framing() == HttpRequest.Framing.NONE) {
            dispatch(next, Unpooled.EMPTY_BUFFER);
            return;
        }
        int bytesMax = isEcho(next)
                ? BODY_BYTES_MAX
                : context.lane().config().messages().maxMessageSize();
        body = HttpBody.of(next, bytesMax, context.lane().config().messages().receiveBufferInitial());
        readBody(body, Unpooled.EMPTY_BUFFER);
        if (body != null && next.expectContinue()) {
            ByteBuf out = context.scratch();
            HttpResponses.writeContinue(out);
            connection.send(out);
        }
    }

    private void readBody(HttpBody reading, ByteBuf in) {
        switch (reading.read(in)) {
            case BodyResult.NeedMore needMore -> {}
            case Refusal refusal -> refuseAndEnd(refusal);
            case BodyResult.Complete complete -> {
                body = null;
                dispatch(java.util.Objects.requireNonNull(request), complete.content());
                reading.release();
            }
        }
    }

    private boolean isEcho(HttpRequest next) {
        return context.lane().config().trial().echo() && next.path().equals("/echo");
    }

    private void dispatch(HttpRequest next, ByteBuf content) {
        if (!context.origins().allows(next, false)) {
            refuse(Code.ORIGIN_DENIED, "the origin " + next.header("Origin") + " is not among AllowedOrigins");
            return;
        }
        if (next.method() == HttpMethod.OPTIONS) {
            ByteBuf out = context.scratch();
            context.responses().writePreflight(out, terms());
            answer(out);
            return;
        }
        if (context.admission().isDraining() && api == null && !next.path().startsWith("/health/")) {
            String reason = context.health().notReady().orElse(Code.NOT_READY.sentence());
            refuseAndEnd(new Refusal(Code.NOT_READY, Code.NOT_READY.httpStatus(), reason));
            return;
        }
        switch (next.path()) {
            case "/" -> root(next);
            case "/subscribe" -> get(next, () -> admitted(next, principal -> stream(next, principal)));
            case "/poll" ->
                get(next, () -> admitted(next, principal -> api(principal).poll(next)));
            case "/history" ->
                get(next, () -> admitted(next, principal -> api(principal).history(next)));
            case "/publish" -> publish(next, content);
            case "/health/live" -> get(next, this::answerWell);
            case "/health/ready" -> get(next, this::ready);
            case "/echo" -> echo(next, content);
            default -> file(next);
        }
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

    private void publish(HttpRequest next, ByteBuf content) {
        if (next.method() != HttpMethod.POST) {
            refuseMethod("POST");
            return;
        }
        ByteBuf kept = content.retain();
        admitted(next, principal -> api(principal).publish(next, kept), kept::release);
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
                                file -> {
                                    ByteBuf out = connection.newBuffer();
                                    context.responses().write(out, terms(), 200, file.contentType(), file.content());
                                    answer(out);
                                    out.release();
                                },
                                () -> refuse(Code.NOT_FOUND, "there is nothing at " + next.path())));
    }

    private void get(HttpRequest next, Runnable then) {
        if (next.method() == HttpMethod.GET || next.method() == HttpMethod.HEAD) {
            then.run();
        } else {
            refuseMethod("GET, HEAD");
        }
    }

    // ---- who is asking ----

    private void admitted(HttpRequest next, Consumer<Principal> then) {
        admitted(next, then, () -> {});
    }

    private void admitted(HttpRequest next, Consumer<Principal> then, Runnable last) {
        answering = true;
        String twice = next.query().repeatedBut("subject");
        if (twice != null) {
            refuse(Code.BAD_REQUEST, "the parameter " + twice + " is wanted once");
            last.run();
            return;
        }
        String token = Tokens.of(next, context.lane().config().entitlement().tokenInQuery());
        context.lane().admit(new Entitlement.Credentials(token, connection.isLoopback()), answer -> {
            if (!connection.isOver()) {
                switch (answer) {
                    case Entitlement.Answer.Accepted accepted -> then.accept(accepted.principal());
                    case Entitlement.Answer.Rejected rejected -> refuse(rejected.code(), rejected.reason());
                }
            }
            last.run();
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
        return current == null
                ? ReplyTerms.CLOSE
                : ReplyTerms.of(current, context.origins().corsOrigin(current, false));
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

    /** Sends a whole answer and goes on to the next request. */
    private void answer(ByteBuf out) {
        boolean keepAlive = request != null && request.keepAlive();
        connection.stage(out, 0, out.readableBytes());
        request = null;
        if (!keepAlive) {
            answering = false;
            connection.endAfterStaged();
            return;
        }
        answering = true;
        unsent = !connection.flushStaged();
        if (!unsent) {
            goOn();
        }
    }

    @Override
    public void onWritable() {
        if (unsent) {
            unsent = false;
            goOn();
        }
    }

    private void goOn() {
        answering = false;
        connection.watch();
        if (pausedReading) {
            pausedReading = false;
            connection.resumeReading();
        }
        connection.resume();
    }

    // ---- the phase ----

    @Override
    public Replies replies() {
        return java.util.Objects.requireNonNull(api);
    }

    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        if ((answering && !unsent) || awaitsHandshake()) {
            context.responses().writeError(out, terms().closing(), code, reason);
        }
    }

    @Override
    public boolean ping() {
        // A connection kept alive and not used is as silent as a dead one; after the same time it goes.
        return !answering;
    }

    @Override
    public boolean awaitsHandshake() {
        return !hadRequest || body != null;
    }

    @Override
    public void onGone() {
        releaseBody();
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
