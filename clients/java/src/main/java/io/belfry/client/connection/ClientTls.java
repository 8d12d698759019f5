package io.belfry.client.connection;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.nio.file.Path;
import javax.net.ssl.SSLException;

/**
 * TLS to one server, whose certificate must have the server's name. Each connection has an engine and buffers of its
 * own, tens of kilobytes. Immutable.
 */
public final class ClientTls {
    private final SslContext context;
    private final String host;
    private final int port;

    private ClientTls(SslContext context, String host, int port) {
        this.context = context;
        this.host = host;
        this.port = port;
    }

    /** Trusts the certificates that the JDK trusts; {@code host} is the name that the certificate must have. */
    public static ClientTls to(String host, int port) {
        return new ClientTls(built(builder()), host, port);
    }

    /** Trusts only the certificates in this PEM file. */
    public static ClientTls trusting(Path certificates, String host, int port) {
        return new ClientTls(built(builder().trustManager(certificates.toFile())), host, port);
    }

    /** Uses a context of the caller, for client certificates or its own trust store. */
    public static ClientTls with(SslContext context, String host, int port) {
        return new ClientTls(context, host, port);
    }

    private static SslContextBuilder builder() {
        // Checks the name in the certificate, which the JDK does not do by default.
        return SslContextBuilder.forClient().sslProvider(SslProvider.JDK).endpointIdentificationAlgorithm("HTTPS");
    }

    private static SslContext built(SslContextBuilder builder) {
        try {
            return builder.build();
        } catch (SSLException e) {
            throw new IllegalArgumentException("cannot set up TLS with these certificates: " + e.getMessage(), e);
        }
    }

    SslHandler handler(Channel channel) {
        return context.newHandler(channel.alloc(), host, port);
    }
}
