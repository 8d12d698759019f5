package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.Subjects;
import io.belfry.server.codec.HttpMethod;
import io.belfry.server.codec.HttpRequest;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The checks that a poll and a history share, before a session is opened for them. Pure. */
final class ReadChecks {
    private ReadChecks() {}

    /**
     * Checks the subjects, their permissions and the room for an answer. Returns whether the call may begin; otherwise the
     * request is answered, with a refusal or, for HEAD, with a head. {@code whyPlain} is the reason for refusing patterns;
     * null if patterns are allowed.
     */
    static boolean passes(
            EndpointExchange http,
            HttpRequest request,
            Principal principal,
            List<byte[]> subjects,
            @Nullable String whyPlain) {
        HttpAnswer answer = http.answer();
        String problem = StreamRequest.problemOf(request);
        if (problem != null) {
            answer.refuse(StreamRequest.codeOf(subjects, problem), problem);
            return false;
        }
        for (byte[] subject : subjects) {
            if (whyPlain != null && Subjects.isPattern(subject)) {
                answer.refuse(Code.WILDCARD_NOT_ALLOWED, whyPlain);
                return false;
            }
            if (http.context().lane().commands().mayRead(principal, subject) instanceof Decision.Denied denied) {
                answer.refuse(denied.code(), denied.reason());
                return false;
            }
        }
        if (request.method() == HttpMethod.HEAD) {
            answer.jsonHead();
            return false;
        }
        if (!http.api().hasRoom()) {
            answer.refuseForRoom();
            return false;
        }
        return true;
    }
}
