package io.belfry.server.entitlement;

import io.belfry.protocol.Code;

/** A client that has not sent a token yet, until the time it has for that ends. Immutable. */
record Stranger(long expiresMillis) implements Principal {
    private static final Decision.Denied NO_TOKEN = new Decision.Denied(Code.UNAUTHORIZED, "send a token first");
    private static final Decision.Denied NO_TOKEN_IN_TIME =
            new Decision.Denied(Code.UNAUTHORIZED, "no token within Entitlement.TokenTime");

    @Override
    public Decision maySubscribe(byte[] subject, long nowMillis) {
        return NO_TOKEN;
    }

    @Override
    public Decision mayPublish(byte[] subject, int length, long nowMillis) {
        return NO_TOKEN;
    }

    @Override
    public Decision.Denied expiry() {
        return NO_TOKEN_IN_TIME;
    }

    @Override
    public boolean warnsOfExpiry() {
        return false;
    }
}
