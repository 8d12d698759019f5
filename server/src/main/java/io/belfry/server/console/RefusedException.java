package io.belfry.server.console;

import io.belfry.protocol.Code;

/** A request that is answered with an error. */
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
