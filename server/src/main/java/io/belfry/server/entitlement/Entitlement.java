package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.server.config.EntitlementConfig;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a client may do, once when it comes and again whenever it shows a token. An implementation may answer late
 * and on any thread; until it answers, the client has what it had before. It never blocks who asks.
 */
public interface Entitlement extends AutoCloseable {
    /**
     * What is known of a client that wants in. The token is never shown.
     *
     * @param certificate the subject of the certificate that it showed, in the form of RFC 2253; null without one
     */
    record Credentials(
            @Nullable String token,
            boolean loopback,
            @Nullable String certificate) {
        public Credentials(@Nullable String token, boolean loopback) {
            this(token, loopback, null);
        }

        @Override
        public String toString() {
            return "Credentials[token=" + (token == null ? "none" : "(hidden)") + ", loopback=" + loopback
                    + ", certificate=" + certificate + "]";
        }
    }

    /** What a client is told it may do, or why its token is not accepted. */
    sealed interface Answer {
        /** The client may do what the principal says. */
        record Accepted(Principal principal) implements Answer {}

        /** The client stays out, for this reason. */
        record Rejected(Code code, String reason) implements Answer {
            public Rejected(String reason) {
                this(Code.UNAUTHORIZED, reason);
            }
        }
    }

    void decide(Credentials credentials, Consumer<Answer> answer);

    /**
     * What decides from now on, under a configuration of the same kind; this one is closed then, if it is another. Where it
     * fails, this one goes on as it was.
     */
    default Entitlement reconfigured(EntitlementConfig next) throws IOException {
        return this;
    }

    @Override
    default void close() {}
}
