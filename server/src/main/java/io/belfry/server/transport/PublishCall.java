package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.PublishRequest;
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
    private static final byte[] NO_ID = new byte[0];

    private final ApiSession api;
    private final byte[] subject;
    private final byte[] msgId;
    private final boolean retain;

    private PublishCall(ApiSession api, byte[] subject, byte[] msgId, boolean retain) {
        this.api = api;
        this.subject = subject;
        this.msgId = msgId;
        this.retain = retain;
    }

    static void serve(EndpointExchange http, HttpRequest request) {
        http.authenticate(request, principal -> begin(http, request, principal));
    }

    private static void begin(EndpointExchange http, HttpRequest request, Principal principal) {
        ApiSession api = http.api();
        api.as(principal);
        List<byte[]> subjects = StreamRequest.subjectsOf(request);
        byte[] msgId = msgIdOf(request);
        Refusal refusal = refusal(api, subjects, msgId);
        if (refusal != null) {
            http.skipBody(request);
            http.answer().refuse(refusal);
            return;
        }
        http.connection().onKnown();
        String retain = request.query().first("retain");
        PublishCall call = new PublishCall(api, subjects.getFirst(), msgId, retain != null && !retain.equals("false"));
        if (request.framing() == HttpRequest.Framing.NONE) {
            call.publish(Unpooled.EMPTY_BUFFER);
        } else {
            http.receive(request, api.lane().config().messages().maxMessageSize(), call::publish);
        }
    }

    private static byte[] msgIdOf(HttpRequest request) {
        String msgId = request.query().first("msgId");
        return msgId == null ? NO_ID : msgId.getBytes(StandardCharsets.UTF_8);
    }

    /** Returns why the request head already forbids this publish, or null. */
    private static @Nullable Refusal refusal(ApiSession api, List<byte[]> subjects, byte[] msgId) {
        if (subjects.size() != 1) {
            return Refusal.of(Code.BAD_REQUEST, "the parameter subject must be given exactly once");
        }
        if (msgId.length > PublishRequest.MSG_ID_MAX_BYTES) {
            return Refusal.of(Code.BAD_REQUEST, "msgId exceeds " + PublishRequest.MSG_ID_MAX_BYTES + " bytes");
        }
        byte[] subject = subjects.getFirst();
        String problem = Subjects.problem(subject, 0, subject.length, false);
        if (problem != null) {
            return Refusal.of(Subjects.code(problem), problem);
        }
        return api.lane().commands(api.session()).mayPublish(subject) instanceof Decision.Denied denied
                ? Refusal.of(denied.code(), denied.reason())
                : null;
    }

    private void publish(ByteBuf data) {
        api.begin(this);
        int length = data.readableBytes();
        ByteBuf whole = api.connection().newBuffer();
        whole.writeBytes(subject).writeBytes(msgId).writeBytes(data, data.readerIndex(), length);
        execute(new PublishRequest()
                .start(COMMAND_ID, whole, retain)
                .subject(0, subject.length)
                .msgId(subject.length, msgId.length)
                .data(subject.length + msgId.length, length));
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
