package io.belfry.server.codec;

import io.belfry.protocol.Code;

/**
 * Rejects a request, with a code, an HTTP status and a reason for the client. The status is usually that of the code;
 * some refusals have a more exact one, such as 414 or 505. After a refusal by the parser or a body the connection
 * cannot be read further, because the start of the next request is unknown.
 */
public record Refusal(Code code, int status, String reason) implements ParseResult, BodyResult, HandshakeResult {
    /** Returns a refusal with the status of the code. */
    public static Refusal of(Code code, String reason) {
        return new Refusal(code, code.httpStatus(), reason);
    }
}
