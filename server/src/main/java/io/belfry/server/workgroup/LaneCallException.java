package io.belfry.server.workgroup;

import io.belfry.protocol.Code;

/** Thrown when the lanes did not answer a call of another thread in time. Immutable. */
public final class LaneCallException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Code code;
    private final String reason;

    LaneCallException(Code code, String message) {
        super(message);
        this.code = code;
        this.reason = message;
    }

    /** Returns the code with which the request that made the call is refused. */
    public Code code() {
        return code;
    }

    /** Returns the reason with which the request is refused. */
    public String reason() {
        return reason;
    }
}
