package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.PublishOrigins;
import io.belfry.protocol.PublishRequest;
import io.belfry.protocol.ReplyInboxes;
import io.belfry.protocol.Subjects;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.codec.Refusal;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of {@code /publish}: reads its parameters with the head, checks the permission before any byte of the body is
 * read, and answers with the position of the message. Owner: the loop.
 */
final class PublishCall implements ApiCall {
    private static final String TTL_RULE = "ttl must be a time up to 8760h, such as 30s or 500ms";
    private static final byte[] NONE = new byte[0];

    private final ApiSession api;
    private final byte[] subject;
    private final byte[] msgId;
    private final boolean retain;
    private final byte[] headers;
    private final byte[] origin;
    private final long ttlMillis;

    private PublishCall(
            ApiSession api,
            byte[] subject,
            byte[] msgId,
            boolean retain,
            byte[] headers,
            byte[] origin,
            long ttlMillis) {
        this.api = api;
        this.subject = subject;
        this.msgId = msgId;
        this.retain = retain;
        this.headers = headers;
        this.origin = origin;
        this.ttlMillis = ttlMillis;
    }

    static void serve(EndpointExchange http, HttpRequest request) {
        http.authenticate(request, principal -> begin(http, request, principal));
    }

    private static void begin(EndpointExchange http, HttpRequest request, Principal principal) {
        ApiSession api = http.api();
        api.as(principal);
        List<byte[]> subjects = StreamRequest.subjectsOf(request);
        byte[] msgId = parameter(request, "msgId");
        byte[] origin = parameter(request, "origin");
        HeaderParameters headers = HeaderParameters.of(request);
        long ttl = ttlOf(request);
        String retain = request.query().first("retain");
        boolean retained = retain != null && !retain.equals("false");
        Refusal refusal = headers.problem() != null
                ? Refusal.of(Code.BAD_HEADERS, headers.problem())
                : ttl < 0 ? Refusal.of(Code.BAD_REQUEST, TTL_RULE) : refusal(api, subjects, msgId, origin, retained);
        if (refusal != null) {
            http.skipBody(request);
            http.answer().refuse(refusal);
            return;
        }
        http.connection().onKnown();
        PublishCall call = new PublishCall(api, subjects.getFirst(), msgId, retained, headers.block(), origin, ttl);
        if (request.framing() == HttpRequest.Framing.NONE) {
            call.publish(Unpooled.EMPTY_BUFFER);
        } else {
            http.receive(request, api.lane().config().messages().maxMessageSize(), call::publish);
        }
    }

    /** Returns the time to live, 0 for none, or -1 if the parameter is not valid. */
    private static long ttlOf(HttpRequest request) {
        String ttl = request.query().first("ttl");
        long millis = ttl == null ? 0 : PollTimer.millis(ttl);
        return millis > PublishRequest.TTL_MILLIS_MAX ? -1 : millis;
    }

    private static byte[] parameter(HttpRequest request, String name) {
        String value = request.query().first(name);
        return value == null ? NONE : value.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns why the request head already forbids this publish, or null. */
    private static @Nullable Refusal refusal(
            ApiSession api, List<byte[]> subjects, byte[] msgId, byte[] origin, boolean retained) {
        if (subjects.size() != 1) {
            return Refusal.of(Code.BAD_REQUEST, "the parameter subject must be given exactly once");
        }
        if (msgId.length > PublishRequest.MSG_ID_MAX_BYTES) {
            return Refusal.of(Code.BAD_REQUEST, "msgId exceeds " + PublishRequest.MSG_ID_MAX_BYTES + " bytes");
        }
        if (origin.length > 0 && !PublishOrigins.isKey(origin)) {
            return Refusal.of(Code.BAD_REQUEST, PublishOrigins.RULE);
        }
        byte[] subject = subjects.getFirst();
        String problem = Subjects.publishProblem(Unpooled.wrappedBuffer(subject), 0, subject.length);
        if (problem != null) {
            return Refusal.of(Subjects.code(problem), problem);
        }
        if (retained && ReplyInboxes.isInbox(subject, subject.length)) {
            return Refusal.of(Code.RETAIN_DENIED, "an inbox has no retained message");
        }
        return api.lane().commands(api.session()).mayPublish(subject) instanceof Decision.Denied denied
                ? Refusal.of(denied.code(), denied.reason())
                : null;
    }

    private void publish(ByteBuf data) {
        api.begin(this);
        int length = data.readableBytes();
        ByteBuf whole = api.connection().newBuffer();
        int headersAt = subject.length + msgId.length;
        int originAt = headersAt + headers.length;
        whole.writeBytes(subject).writeBytes(msgId).writeBytes(headers).writeBytes(origin);
        whole.writeBytes(data, data.readerIndex(), length);
        execute(new PublishRequest()
                .start(COMMAND_ID, whole, retain)
                .subject(0, subject.length)
                .msgId(subject.length, msgId.length)
                .headers(headersAt, headers.length)
                .origin(originAt, origin.length)
                .ttl(ttlMillis)
                .data(originAt + origin.length, length));
        whole.release();
    }

    private void execute(PublishRequest request) {
        Lane lane = api.lane();
        CallTrace trace = api.answer().trace();
        if (trace == null) {
            lane.commands(api.session()).onPermittedPublish(request);
            return;
        }
        lane.trace(trace.context());
        try {
            lane.commands(api.session()).onPermittedPublish(request);
        } finally {
            lane.trace(null);
        }
    }

    @Override
    public void published(long epoch, long seq) {
        if (api.end(this)) {
            ByteBuf out = api.connection().newBuffer();
            out.writeByte('{');
            CollectedMessages.writePosition(out, subject, epoch, seq);
            out.writeByte('}');
            api.answer().json(out);
            out.release();
        }
    }
}
