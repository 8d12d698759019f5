package io.belfry.spi.entitlement;

import java.util.Optional;

/**
 * What is known of a client. Immutable; its text never shows the token.
 *
 * @param token as the client showed it, if it did
 * @param loopback whether the client is on the server's machine and calls it so (127.0.0.1, [::1], localhost), or is a page
 *     that {@code AllowedOrigins} names: a page of any other name is not, though its name may point here
 * @param certificate the subject of the certificate that the client showed, if it did ({@code Tls.ClientCertificates}), in the
 *     form of RFC 2253: {@code CN=ada,O=Example}
 */
public record Question(Optional<String> token, boolean loopback, Optional<String> certificate) {
    @Override
    public String toString() {
        return "Question[token=" + (token.isPresent() ? "(hidden)" : "none") + ", loopback=" + loopback
                + ", certificate=" + certificate.orElse("none") + "]";
    }
}
