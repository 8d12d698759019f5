package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import java.util.Map;

/** Parses the application's reply to a question about a command. Pure. */
final class CommandReply {
    private CommandReply() {}

    /** Returns the decision. Throws an IllegalArgumentException that names the fault, and never allows anything then. */
    static CommandDecision parse(AskedCommand.Kind kind, byte[] body) {
        Map<String, Object> json = DecisionReply.object(body);
        long ttlMillis = DecisionReply.ttlMillis(json);
        return new CommandDecision(DecisionReply.allows(json) ? Decision.ALLOWED : refused(kind, json), ttlMillis);
    }

    private static Decision refused(AskedCommand.Kind kind, Map<String, Object> json) {
        String reason = DecisionReply.text(json, "reason");
        String code = DecisionReply.text(json, "code");
        Code denied = kind == AskedCommand.Kind.PUBLISH ? Code.PUBLISH_DENIED : Code.SUBSCRIBE_DENIED;
        Code refusal = switch (code == null ? "denied" : code) {
            case "denied" -> denied;
            case "not-ready" -> Code.NOT_READY;
            default -> throw new IllegalArgumentException("code must be denied or not-ready");
        };
        return new Decision.Denied(
                refusal, reason == null ? "the application refuses this command" : DecisionReply.shortened(reason));
    }
}
