package io.belfry.server.entitlement;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a client may do, once when it comes and again whenever it shows a token. An implementation may answer late
 * and on any thread; until it answers, the client has what it had before.
 */
public interface Entitlement {
    /** What is known of a client that wants in. */
    record Credentials(@Nullable String token, boolean loopback) {}

    /** What a client is told it may do, or why its token is not accepted. */
    sealed interface Answer {
        /** The client may do what the principal says. */
        record Accepted(Principal principal) implements Answer {}

        /** The token is not accepted. */
        record Rejected(String reason) implements Answer {}
    }

    void decide(Credentials credentials, Consumer<Answer> answer);
}
