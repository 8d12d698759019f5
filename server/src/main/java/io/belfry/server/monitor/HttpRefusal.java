package io.belfry.server.monitor;

import io.belfry.protocol.Code;

/** Thrown where a request to the console or the server API is refused, with the code and the reason of the answer. Immutable. */
public final class HttpRefusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final Code code;
    private final String reason;

    public HttpRefusal(Code code, String reason) {
        super(reason);
        this.code = code;
        this.reason = reason;
    }

    /** Creates a refusal whose reason is the sentence of the code. */
    public HttpRefusal(Code code) {
        this(code, code.sentence());
    }

    public Code code() {
        return code;
    }

    public String reason() {
        return reason;
    }
}
