package io.belfry.server.tls;

import io.belfry.server.config.TlsConfig;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.util.ReferenceCountUtil;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * What new connections are encrypted with. Immutable, and counted: whoever keeps one has retained it and releases it, as
 * what is native in it is freed with the last. Any thread.
 */
public final class TlsContext {
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    /** Forward secrecy and authenticated encryption, and nothing else: what both versions still consider good. */
    private static final List<String> CIPHERS = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    /** The HTTP that is spoken here has upgrades, which HTTP/2 has not. */
    private static final ApplicationProtocolConfig HTTP_1_1 = new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            "http/1.1");

    /**
     * The kind of store that Netty passes the key in from one hand to the other, in memory. The default kind hides it behind ten
     * thousand rounds of a digest each time.
     */
    private static final String PASSING_STORE = "JKS";

    /** Sessions of clients that take no tickets, which then are kept here. */
    private static final int SESSIONS_KEPT = 4096;

    private static final int SESSION_SECONDS = 4 * 3600;

    private final SslContext context;
    private final Executor tasks;
    private final int handshakeBytes;

    private TlsContext(SslContext context, Executor tasks, int handshakeBytes) {
        this.context = context;
        this.tasks = tasks;
        this.handshakeBytes = handshakeBytes;
    }

    /** {@code tasks} runs what an engine would rather not do on the loop. */
    static TlsContext of(
            TlsConfig config,
            TlsProvider provider,
            Identity identity,
            List<X509Certificate> clientAuthorities,
            Executor tasks)
            throws TlsException {
        SslContextBuilder builder = SslContextBuilder.forServer(identity.key(), identity.chain())
                .keyStoreType(PASSING_STORE)
                .sslProvider(provider.kind())
                .protocols(PROTOCOLS)
                .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
                .applicationProtocolConfig(HTTP_1_1)
                .sessionCacheSize(SESSIONS_KEPT)
                .sessionTimeout(SESSION_SECONDS)
                .clientAuth(
                        switch (config.clientCertificates()) {
                            case NONE -> ClientAuth.NONE;
                            case WANT -> ClientAuth.OPTIONAL;
                            case NEED -> ClientAuth.REQUIRE;
                        });
        if (!clientAuthorities.isEmpty()) {
            builder.trustManager(clientAuthorities);
        }
        try {
            SslContext context = builder.build();
            if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
                // Without keys of ours BoringSSL makes its own and changes them from time to time.
                sessions.setTicketKeys();
            }
            return new TlsContext(context, tasks, config.handshakeBytes());
        } catch (SSLException | IllegalArgumentException failure) {
            throw new TlsException("TLS by " + provider + " cannot use the certificate", failure);
        }
    }

    /** An engine for one connection; who gets it releases it where it is counted. */
    public SSLEngine newEngine(ByteBufAllocator buffers) {
        return context.newEngine(buffers);
    }

    public Executor tasks() {
        return tasks;
    }

    /** How much a client may send before its handshake is complete. */
    public int handshakeBytes() {
        return handshakeBytes;
    }

    public TlsContext retain() {
        ReferenceCountUtil.retain(context);
        return this;
    }

    public void release() {
        ReferenceCountUtil.release(context);
    }
}
