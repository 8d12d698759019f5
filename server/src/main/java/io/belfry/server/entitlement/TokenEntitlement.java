package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * {@code Entitlement = Basic}: anyone subscribes; publishing needs the token of {@code EntitlementAllowToken}. While no
 * token is set only loopback addresses publish, and others are told which key to set. Immutable.
 */
public final class TokenEntitlement implements Entitlement {
    private static final Answer PUBLISHER = new Answer.Accepted(new Publishing(Decision.ALLOWED));
    private static final Answer NEEDS_TOKEN = new Answer.Accepted(
            new Publishing(new Decision.Denied(Code.PUBLISH_DENIED, "publishing here needs the token")));
    private static final Answer NEEDS_KEY = new Answer.Accepted(new Publishing(new Decision.Denied(
            Code.PUBLISH_DENIED,
            "only loopback addresses publish while no token is set: set EntitlementAllowToken on the server")));
    private static final Answer WRONG_TOKEN = new Answer.Rejected("the token is not the server's");

    private final byte[] token;

    public TokenEntitlement(Optional<String> token) {
        this.token = token.map(TokenEntitlement::digest).orElse(new byte[0]);
    }

    @Override
    public void decide(Credentials credentials, Consumer<Answer> answer) {
        answer.accept(token.length == 0 ? withoutKey(credentials) : withKey(credentials));
    }

    private static Answer withoutKey(Credentials credentials) {
        return credentials.loopback() ? PUBLISHER : NEEDS_KEY;
    }

    private Answer withKey(Credentials credentials) {
        if (credentials.token() == null) {
            return NEEDS_TOKEN;
        }
        // Digests are compared, in constant time, so that neither content nor length of the token can be measured.
        return MessageDigest.isEqual(digest(credentials.token()), token) ? PUBLISHER : WRONG_TOKEN;
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    private record Publishing(Decision publish) implements Principal {
        @Override
        public Decision maySubscribe(byte[] subject) {
            return Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length) {
            return publish;
        }
    }
}
