package io.belfry.server.codec;

import io.belfry.protocol.Code;

/**
 * A request that is not taken: the code, the HTTP status (a code has one, but a few refusals have a more exact one, as
 * 414 or 505) and a sentence for the one who sent it. After a refusal of the parser or of a body nothing more can be
 * read from the connection: where the next request begins is unknown.
 */
public record Refusal(Code code, int status, String reason) implements ParseResult, BodyResult, HandshakeResult {
    public static Refusal of(Code code, String reason) {
        return new Refusal(code, code.httpStatus(), reason);
    }
}
