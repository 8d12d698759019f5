package io.belfry.client.api;

import java.io.IOException;

/** A call of the server API was refused. The code is stable. */
public class ApiException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final String code;

    ApiException(int status, String code, String reason) {
        super(code + ": " + reason);
        this.status = status;
        this.code = code;
    }

    /** Returns the status of HTTP. */
    public int status() {
        return status;
    }

    /** Returns the code, one of docs/protocol.md. */
    public String code() {
        return code;
    }
}
