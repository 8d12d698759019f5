package io.belfry.server.console;

import io.belfry.protocol.Code;

/** A refused request, with the code and the reason of the response. */
final class RefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Code code;
    private final String reason;

    RefusedException(Code code, String reason) {
        super(reason);
        this.code = code;
        this.reason = reason;
    }

    ConsoleReply reply() {
        return ConsoleReply.refusal(code, reason);
    }
}
