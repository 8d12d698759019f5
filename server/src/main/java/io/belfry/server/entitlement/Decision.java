package io.belfry.server.entitlement;

import io.belfry.protocol.Code;

/** Yes, or no with the code and sentence that the client is told. */
public sealed interface Decision {
    Decision ALLOWED = new Allowed();

    /** Yes. */
    record Allowed() implements Decision {}

    /** No. */
    record Denied(Code code, String reason) implements Decision {}
}
