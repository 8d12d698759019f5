package io.belfry.server.entitlement;

import java.util.function.Consumer;

/** {@code Entitlement = None}: every client may do everything. Immutable. */
public final class OpenEntitlement implements Entitlement {
    private static final Answer ANYONE = new Answer.Accepted(new Principal() {
        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return Decision.ALLOWED;
        }
    });

    @Override
    public void decide(Credentials credentials, Consumer<Answer> answer) {
        answer.accept(CertifiedPrincipal.named(ANYONE, credentials));
    }
}
