package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Session;
import io.belfry.server.session.Terms;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One call of {@code /history}: answers with past messages of a subject. Owner: the loop. */
final class HistoryCall implements ApiCall {
    static final int ANSWER_BYTES_MAX = 16 << 20;

    private static final int COUNT_DEFAULT = 100;

    private final ApiSession api;
    private final byte[] subject;
    private final CollectedMessages collected;

    private HistoryCall(ApiSession api, byte[] subject) {
        this.api = api;
        this.subject = subject;
        collected = new CollectedMessages(api, ANSWER_BYTES_MAX);
    }

    static void serve(EndpointExchange http, HttpRequest request) {
        http.admit(request, principal -> begin(http, request, principal));
    }

    private static void begin(EndpointExchange http, HttpRequest request, Principal principal) {
        List<byte[]> subjects = StreamRequest.followedOf(request);
        String fromText = request.query().first("from");
        Position from = fromText == null ? null : Position.parse(fromText);
        int wanted = StreamRequest.number(request.query().first("count"), COUNT_DEFAULT);
        HttpAnswer answer = http.answer();
        if (subjects.size() != 1) {
            answer.refuse(Code.BAD_REQUEST, "the parameter subject must be given exactly once");
        } else if (fromText != null && from == null) {
            answer.refuse(Code.BAD_POSITION, "from must be a position epoch:seq, not " + fromText);
        } else if (wanted < 0) {
            answer.refuse(Code.BAD_REQUEST, "count must be a whole number from 0");
        } else if (ReadChecks.passes(
                http, request, principal, subjects, "history requires a subject without wildcards")) {
            ApiSession api = http.api();
            Session session = api.as(principal);
            byte[] subject = subjects.getFirst();
            HistoryCall call = new HistoryCall(api, subject);
            api.begin(call);
            api.lane()
                    .commands(session)
                    .subscribe(
                            COMMAND_ID,
                            subject,
                            new Terms(from, wanted, 0, false),
                            Decision.ALLOWED,
                            () -> api.isRunning(call));
        }
    }

    @Override
    public void message(MessageView message) {
        collected.add(message);
    }

    @Override
    public void gap(byte[] of, @Nullable Position from, Position at, Code reason) {
        collected.addGap(of, from, at, reason);
    }

    @Override
    public void caughtUp() {
        if (api.end(this)) {
            ByteBuf out = api.connection().newBuffer();
            out.writeByte('{');
            CollectedMessages.writeSubject(out, subject);
            out.writeByte(',');
            collected.answer(out);
        }
    }

    @Override
    public void release() {
        collected.release();
    }
}
