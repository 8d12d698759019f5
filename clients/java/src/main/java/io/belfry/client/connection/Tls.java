package io.belfry.client.connection;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import javax.net.ssl.SSLException;

/**
 * Encryption towards one server, checked against its name. A connection with it needs an engine and buffers of its own,
 * tens of kilobytes. Immutable.
 */
public final class Tls {
    private final SslContext context;
    private final String host;
    private final int port;

    private Tls(SslContext context, String host, int port) {
        this.context = context;
        this.host = host;
        this.port = port;
    }

    /** Trusts what the JDK trusts; {@code host} is the name that the certificate must carry. */
    public static Tls to(String host, int port) {
        return new Tls(built(builder()), host, port);
    }

    /** Trusts the certificates of this PEM file and no others. */
    public static Tls trusting(Path certificates, String host, int port) {
        return new Tls(built(builder().trustManager(certificates.toFile())), host, port);
    }

    /** With a context that the caller set up, for client certificates or its own trust. */
    public static Tls with(SslContext context, String host, int port) {
        return new Tls(context, host, port);
    }

    private static SslContextBuilder builder() {
        // HTTPS: the name in the certificate is checked, which is not the JDK's default.
        return SslContextBuilder.forClient().sslProvider(SslProvider.JDK).endpointIdentificationAlgorithm("HTTPS");
    }

    private static SslContext built(SslContextBuilder builder) {
        try {
            return builder.build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("no TLS with these certificates: " + e.getMessage(), e);
        }
    }

    SslHandler handler(Channel channel) {
        return context.newHandler(channel.alloc(), host, port);
    }
}
