package io.belfry.spi.entitlement;

import java.util.Optional;

/**
 * What is known of a client. Immutable; its text never shows the token.
 *
 * @param token as the client showed it, if it did
 * @param loopback whether the client is on the server's machine
 */
public record Question(Optional<String> token, boolean loopback) {
    @Override
    public String toString() {
        return "Question[token=" + (token.isPresent() ? "(hidden)" : "none") + ", loopback=" + loopback + "]";
    }
}
