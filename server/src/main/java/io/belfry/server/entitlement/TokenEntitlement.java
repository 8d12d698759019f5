package io.belfry.server.entitlement;

import io.belfry.protocol.Code;
import io.belfry.protocol.ReplyInboxes;
import io.belfry.protocol.Subjects;
import io.belfry.server.config.EntitlementConfig;
import io.belfry.server.config.SecretFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * {@code Entitlement = Basic}: every client subscribes; publishing, and subscribing to subjects of the server, needs the
 * token of {@code EntitlementAllowToken}. Without a configured token only clients on loopback may do so, and the refusal of
 * other clients names the key to set. Any thread.
 */
public final class TokenEntitlement implements Entitlement {
    private static final Answer NEEDS_TOKEN = new Answer.Accepted(new Reader(
            new Decision.Denied(Code.PUBLISH_DENIED, "publishing needs the token"),
            new Decision.Denied(Code.SUBSCRIBE_DENIED, "subscribing to subjects of the server needs the token")));
    private static final Answer NEEDS_KEY = new Answer.Accepted(new Reader(
            new Decision.Denied(
                    Code.PUBLISH_DENIED,
                    "without EntitlementAllowToken only clients on the server's machine publish, and only where they address it as"
                            + " 127.0.0.1, [::1] or localhost; set EntitlementAllowToken on the server"),
            new Decision.Denied(
                    Code.SUBSCRIBE_DENIED,
                    "without EntitlementAllowToken only clients on the server's machine subscribe to subjects of the"
                            + " server; set EntitlementAllowToken on the server")));
    private static final Answer WRONG_TOKEN = new Answer.Rejected("the token is not the server's");

    private final byte[] token;
    private final Publisher publisher = new Publisher();

    public TokenEntitlement(Optional<String> token) {
        this.token = token.map(TokenEntitlement::digest).orElse(new byte[0]);
    }

    static TokenEntitlement of(EntitlementConfig config) throws IOException {
        Optional<String> token = config.allowToken();
        if (config.allowTokenFile().isPresent()) {
            token = Optional.of(EntitlementConfig.requireToken(
                    "EntitlementAllowTokenFile",
                    SecretFiles.firstLine(
                            "EntitlementAllowTokenFile", config.allowTokenFile().get())));
        }
        return new TokenEntitlement(token);
    }

    @Override
    public void decide(Credentials credentials, Consumer<Answer> answer) {
        answer.accept(CertifiedPrincipal.named(
                token.length == 0 ? withoutKey(credentials) : withKey(credentials), credentials));
    }

    private Answer withoutKey(Credentials credentials) {
        return credentials.loopback() ? new Answer.Accepted(publisher) : NEEDS_KEY;
    }

    private Answer withKey(Credentials credentials) {
        if (credentials.token() == null) {
            return NEEDS_TOKEN;
        }
        // Digests are compared in constant time, so that neither content nor length of the token can be measured.
        return MessageDigest.isEqual(digest(credentials.token()), token) ? new Answer.Accepted(publisher) : WRONG_TOKEN;
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Applies a new token. It withdraws what the earlier one granted, because a token is changed to exclude its holders. */
    @Override
    public Entitlement reconfigured(EntitlementConfig config) throws IOException {
        TokenEntitlement next = of(config);
        if (MessageDigest.isEqual(next.token, token)) {
            return this;
        }
        publisher.withdrawn = true;
        return next;
    }

    private record Reader(Decision publish, Decision system) implements Principal {
        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            if (ReplyInboxes.isInbox(subject, subject.length)) {
                return mayHaveInbox(subject, nowMillis);
            }
            return Subjects.isOfServer(subject) && !Subjects.isPresence(subject) ? system : Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return publish;
        }
    }

    private static final class Publisher implements Principal {
        private volatile boolean withdrawn;

        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return withdrawn ? WITHDRAWN : Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return withdrawn ? WITHDRAWN : Decision.ALLOWED;
        }

        @Override
        public boolean isWithdrawn() {
            return withdrawn;
        }
    }
}
