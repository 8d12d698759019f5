package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.HttpResponses;
import io.belfry.server.codec.Refusal;
import io.belfry.server.codec.ReplyTerms;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a connection's current request: its terms, its spans, and its way to the client. Every request gets one
 * answer, after which the connection continues or closes. Owner: the loop.
 *
 * <p>Extends the unsent rest instead of having one, because an idle connection then holds one object less.
 */
final class HttpAnswer extends UnsentAnswer {
    /** The reader of the connection's requests. */
    interface RequestReader {
        /** Returns whether the client used https or wss. */
        boolean isSecure(HttpRequest request);

        /** Called when the client has the complete answer and may send another request. */
        void onAnswered();
    }

    /** Retry delay sent with {@code overloaded}; within this time, clients that read have received their answers. */
    private static final int ROOM_MILLIS = 1000;

    private final RequestReader reader;

    /** The request that is answered next; null before its head is complete and after its answer. */
    private @Nullable HttpRequest request;

    /** The spans of the current call; null if it is not traced. */
    private @Nullable CallTrace trace;

    /** Whether a request waits for its answer, or part of the answer is unsent. */
    private boolean pending;

    /** Whether the answer being sent is the last one. */
    private boolean last;

    HttpAnswer(RequestReader reader, Connection connection) {
        super(connection);
        this.reader = reader;
    }

    LoopContext context() {
        return connection().context();
    }

    /** Sets the request that is answered next, or another form of the same request. */
    void request(HttpRequest next) {
        request = next;
    }

    boolean isPending() {
        return pending;
    }

    /** Sets whether a request waits for its answer; while its body is read, it does not. */
    void pending(boolean waits) {
        pending = waits;
    }

    /** Returns the terms of the answer to the current request, or to input that is not a request. */
    ReplyTerms terms() {
        HttpRequest current = request;
        if (current == null) {
            return ReplyTerms.CLOSE;
        }
        ReplyTerms terms = ReplyTerms.of(current, context().origins().corsOrigin(current, reader.isSecure(current)));
        return context().origins().isSameForAll() ? terms : terms.varying();
    }

    // ---- tracing ----

    /** Returns the spans of the current call; null if it is not traced. */
    @Nullable
    CallTrace trace() {
        return trace;
    }

    void trace(@Nullable CallTrace call) {
        trace = call;
    }

    private void endTrace() {
        if (trace != null) {
            trace.answered();
            trace = null;
        }
    }

    /** Called when the connection is closed before the answer. */
    void abandon() {
        release();
        if (trace != null) {
            trace.abandoned();
            trace = null;
        }
    }

    // ---- answers ----

    void json(ByteBuf json) {
        content(HttpResponses.JSON, json);
    }

    /** Copies the content. */
    void content(String contentType, ByteBuf content) {
        ByteBuf out = connection().newBuffer();
        context().responses().write(out, terms(), 200, contentType, content);
        send(out);
        out.release();
    }

    /** Sends a file, unless unsent answers use up the memory for answers. */
    void file(StaticFiles.Found file) {
        if (hasRoomForFile()) {
            holdFile(file.content().readableBytes());
            content(file.contentType(), file.content());
        } else {
            refuseForRoom();
        }
    }

    void preflight() {
        ByteBuf out = context().scratch();
        context().responses().writePreflight(out, terms());
        send(out);
    }

    /** Answers HEAD for a poll or a history, without computing the body. */
    void jsonHead() {
        ByteBuf out = context().scratch();
        context().responses().writeHeadOnly(out, terms(), HttpResponses.JSON);
        send(out);
    }

    /** Answers HEAD for a stream. */
    void streamHead(String contentType) {
        HttpRequest current = request;
        if (current != null && !current.http11()) {
            // For HTTP/1.0, the head of a stream announces that the connection closes.
            request = current.last();
        }
        ByteBuf out = context().scratch();
        context().responses().writeStreamHead(out, terms(), contentType, null, 0);
        send(out);
    }

    // ---- refusals ----

    void refuse(Code code, String reason) {
        refuse(code, reason, 0);
    }

    /** Refuses a request; the client may retry after this time in ms, or 0 if that is unknown. */
    void refuse(Code code, String reason, long afterMillis) {
        onRefused(code);
        ByteBuf out = context().scratch();
        if (afterMillis > 0) {
            context().responses().writeError(out, terms(), code, reason, afterMillis);
        } else {
            context().responses().writeError(out, terms(), code, reason);
        }
        send(out);
    }

    void refuse(Refusal refusal) {
        onRefused(refusal.code());
        ByteBuf out = context().scratch();
        context().responses().writeError(out, terms(), refusal);
        send(out);
    }

    /** Refuses a request because the unsent answers of other clients use up the memory for answers. */
    void refuseForRoom() {
        refuse(Code.OVERLOADED, "unsent answers of other clients use up Limit.AnswerBytes", ROOM_MILLIS);
    }

    /** Refuses a poll because the event loop of its subject has not answered. */
    void refuseForTime() {
        refuse(Code.OVERLOADED, "an event loop of the server has not answered for a second", ROOM_MILLIS);
    }

    /** Refuses the method of a request; {@code allowed} are those of its path, as in the field Allow. */
    void refuseMethod(String allowed) {
        onRefused(Code.METHOD_NOT_ALLOWED);
        ByteBuf out = context().scratch();
        context()
                .responses()
                .writeError(
                        out,
                        terms().with("Allow", allowed),
                        Code.METHOD_NOT_ALLOWED,
                        "this path allows only " + allowed);
        send(out);
    }

    /** Refuses unreadable input and closes, because the start of the next request is unknown. */
    void refuseAndEnd(Refusal refusal) {
        onRefused(refusal.code());
        ByteBuf out = context().scratch();
        context().responses().writeError(out, terms().closing(), refusal);
        connection().stage(out, 0, out.readableBytes());
        pending = true;
        endTrace();
        connection().endAfterStaged();
    }

    private void onRefused(Code code) {
        context().lane().counters().refused(code);
        if (trace != null) {
            trace.refused(code);
        }
    }

    // ---- sending ----

    /** Sends a complete answer; continues with the next request once the answer is written, or closes. */
    private void send(ByteBuf out) {
        last = request == null || !request.keepAlive();
        connection().stage(out, 0, out.readableBytes());
        endTrace();
        request = null;
        pending = true;
        if (send()) {
            complete();
        }
    }

    /** Called when the socket has accepted the bytes that it left before. */
    void onWritable() {
        if (onTaken()) {
            complete();
        }
    }

    private void complete() {
        pending = false;
        release();
        if (last) {
            connection().endAfterStaged();
        } else {
            reader.onAnswered();
        }
    }
}
