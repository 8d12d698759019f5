package io.belfry.server.entitlement;

/** What one client may do. Immutable and shared by all clients it holds for. */
public interface Principal {
    Decision maySubscribe(byte[] subject);

    /** Asked for each publish: must not allocate when it allows. */
    Decision mayPublish(byte[] subject, int length);
}
