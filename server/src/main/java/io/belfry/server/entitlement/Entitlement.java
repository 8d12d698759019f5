package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.server.config.EntitlementConfig;
import java.io.IOException;
import java.util.SortedMap;
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
     * @param facts further facts, which only {@code Entitlement = Http} uses; null otherwise
     */
    record Credentials(
            @Nullable String token,
            boolean loopback,
            @Nullable String certificate,
            @Nullable Facts facts) {
        public Credentials(@Nullable String token, boolean loopback, @Nullable String certificate) {
            this(token, loopback, certificate, null);
        }

        public Credentials(@Nullable String token, boolean loopback) {
            this(token, loopback, null);
        }

        @Override
        public String toString() {
            return "Credentials[token=" + (token == null ? "none" : "(hidden)") + ", loopback=" + loopback
                    + ", certificate=" + certificate + "]";
        }
    }

    /**
     * Facts about the connection of a client. Immutable; the values of headers are never printed.
     *
     * @param address address of the client
     * @param transport {@code websocket} or {@code http}
     * @param path path of the request; null for a {@code connect} command
     * @param client the name that the client requests with {@code connect}
     * @param headers listed headers of the request by names in lower case
     */
    record Facts(
            String address,
            String transport,
            @Nullable String path,
            @Nullable String client,
            SortedMap<String, String> headers) {
        @Override
        public String toString() {
            return "Facts[address=" + address + ", transport=" + transport + "]";
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

    /** Decides about one command, for the subjects whose options require that. The client has the permission otherwise. */
    default void decide(AskedCommand command, Consumer<CommandDecision> answer) {
        answer.accept(CommandDecision.NO_APPLICATION);
    }

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
