package io.belfry.server.tls;

import io.belfry.server.config.TlsConfig;
import io.belfry.server.config.TlsGroup;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSslContextOption;
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
import javax.net.ssl.SSLParameters;

/**
 * The settings that encrypt new connections. Immutable and reference-counted: an object that keeps a context retains
 * it and releases it later, and the last release frees the native memory. Any thread.
 */
public final class TlsContext {
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    /**
     * Cipher suites with forward secrecy and authenticated encryption only; TLS 1.2 and 1.3 both still recommend
     * these.
     */
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

    /** ALPN offers HTTP/1.1 only, because the server needs upgrades, which HTTP/2 does not have. */
    private static final ApplicationProtocolConfig HTTP_1_1 = new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            "http/1.1");

    /**
     * Type of the in-memory key store in which Netty passes the key between its own methods. The default type
     * encrypts the key with ten thousand digest rounds each time.
     */
    private static final String PASSING_STORE = "JKS";

    /** Maximum number of TLS sessions kept here, for clients that do not support tickets. */
    private static final int SESSIONS_KEPT = 4096;

    private static final int SESSION_SECONDS = 4 * 3600;

    private final SslContext context;
    private final TlsProvider provider;
    private final String[] groups;

    private final Executor tasks;
    private final int handshakeBytes;

    private TlsContext(SslContext context, TlsProvider provider, String[] groups, Executor tasks, int handshakeBytes) {
        this.context = context;
        this.provider = provider;
        this.groups = groups;
        this.tasks = tasks;
        this.handshakeBytes = handshakeBytes;
    }

    /** Creates a context; the executor {@code tasks} runs the long computations of an engine outside the loop. */
    static TlsContext of(
            TlsConfig config,
            TlsProvider provider,
            Identity identity,
            List<X509Certificate> clientAuthorities,
            Executor tasks)
            throws TlsException {
        provider.requireGroups(config.groups());
        String[] groups = config.groups().stream().map(TlsGroup::standardName).toArray(String[]::new);
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
        if (provider == TlsProvider.OPENSSL) {
            builder.option(OpenSslContextOption.GROUPS, groups);
        }
        if (!clientAuthorities.isEmpty()) {
            builder.trustManager(clientAuthorities);
        }
        try {
            SslContext context = builder.build();
            if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
                // Without configured ticket keys BoringSSL generates its own keys and replaces them periodically.
                sessions.setTicketKeys();
            }
            return new TlsContext(context, provider, groups, tasks, config.handshakeBytes());
        } catch (SSLException | IllegalArgumentException failure) {
            throw new TlsException("the TLS provider " + provider + " cannot use the certificate", failure);
        }
    }

    /** Creates an engine for one connection; the caller releases it if it is reference-counted. */
    public SSLEngine newEngine(ByteBufAllocator buffers) {
        SSLEngine engine = context.newEngine(buffers);
        if (provider == TlsProvider.JDK) {
            // In the JDK groups are set per engine; in BoringSSL they are set in the context.
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setNamedGroups(groups);
            engine.setSSLParameters(parameters);
        }
        return engine;
    }

    /** Returns the executor for long computations of engines. */
    public Executor tasks() {
        return tasks;
    }

    /** Returns the maximum number of bytes a client may send before its handshake is complete. */
    public int handshakeBytes() {
        return handshakeBytes;
    }

    /** Increments the reference count; returns this object. */
    public TlsContext retain() {
        ReferenceCountUtil.retain(context);
        return this;
    }

    /** Decrements the reference count; the last release frees the native memory. */
    public void release() {
        ReferenceCountUtil.release(context);
    }
}
