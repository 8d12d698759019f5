package io.belfry.spi.entitlement;

import java.util.Optional;

/**
 * The known facts about a client. Immutable; {@code toString} never shows the token.
 *
 * @param token the token that the client sent, if any
 * @param loopback whether the client runs on the server's machine and uses one of its loopback names (127.0.0.1, [::1],
 *     localhost), or is a page whose origin {@code AllowedOrigins} lists. A page from any other origin is not, even if
 *     its host name resolves to this machine
 * @param certificate the subject of the client's certificate, if the client sent one ({@code Tls.ClientCertificates}),
 *     in the form of RFC 2253: {@code CN=ada,O=Example}
 */
public record Question(Optional<String> token, boolean loopback, Optional<String> certificate) {
    @Override
    public String toString() {
        return "Question[token=" + (token.isPresent() ? "(hidden)" : "none") + ", loopback=" + loopback
                + ", certificate=" + certificate.orElse("none") + "]";
    }
}
