package io.belfry.server.entitlement;

import org.jspecify.annotations.Nullable;

/** The permissions of another principal, with a part replaced by the implementing record. */
interface WrappedPrincipal extends Principal {
    /** Returns the other principal. */
    Principal rights();

    @Override
    default Decision maySubscribe(byte[] subject, long nowMillis) {
        return rights().maySubscribe(subject, nowMillis);
    }

    @Override
    default Decision mayPublish(byte[] subject, int length, long nowMillis) {
        return rights().mayPublish(subject, length, nowMillis);
    }

    @Override
    default long expiresMillis() {
        return rights().expiresMillis();
    }

    @Override
    default Decision.Denied expiry() {
        return rights().expiry();
    }

    @Override
    default boolean warnsOfExpiry() {
        return rights().warnsOfExpiry();
    }

    @Override
    default boolean isWithdrawn() {
        return rights().isWithdrawn();
    }

    @Override
    default Decision.Denied withdrawal() {
        return rights().withdrawal();
    }

    @Override
    default @Nullable String user() {
        return rights().user();
    }

    @Override
    default @Nullable String info() {
        return rights().info();
    }
}
