package io.belfry.server.entitlement;

import io.belfry.protocol.Code;

/** A permission, or a refusal with the code and sentence that the client receives. */
public sealed interface Decision {
    Decision ALLOWED = new Allowed();

    /** The request is allowed. */
    record Allowed() implements Decision {}

    /** The request is denied. */
    record Denied(Code code, String reason) implements Decision {}
}
