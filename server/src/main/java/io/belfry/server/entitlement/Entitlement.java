package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.server.config.EntitlementConfig;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a client may do, when it connects and whenever it sends a token. An implementation may answer late
 * and on any thread; until then the client keeps its earlier permissions. It never blocks its caller.
 */
public interface Entitlement extends AutoCloseable {
    /**
     * Facts about a client that connects. The token is never printed.
     *
     * @param certificate the subject of the client's certificate, in the form of RFC 2253; null without one
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

    /** The permissions of a client, or the reason why its token is not accepted. */
    sealed interface Answer {
        /** The client has the permissions of the principal. */
        record Accepted(Principal principal) implements Answer {}

        /** The client is refused for this reason. */
        record Rejected(Code code, String reason) implements Answer {
            public Rejected(String reason) {
                this(Code.UNAUTHORIZED, reason);
            }
        }
    }

    void decide(Credentials credentials, Consumer<Answer> answer);

    /**
     * Returns the object that decides from now on, under a configuration of the same kind; if it is another one, this one is
     * closed. On an exception this one continues unchanged.
     */
    default Entitlement reconfigured(EntitlementConfig next) throws IOException {
        return this;
    }

    @Override
    default void close() {}
}
