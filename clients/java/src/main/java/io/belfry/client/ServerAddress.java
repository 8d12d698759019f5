package io.belfry.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * The address of one server. Immutable.
 *
 * @param path path of Belfry on this server, {@code /} unless a proxy maps it elsewhere
 * @param weight share of the clients, relative to the other servers' weights
 */
public record ServerAddress(boolean encrypted, String host, int port, String path, int weight) {
    private static final int DEFAULT_PORT = 8800;
    private static final int DEFAULT_TLS_PORT = 443;

    public ServerAddress {
        if (weight < 1) {
            throw new IllegalArgumentException("a server's weight must be 1 or more, not " + weight);
        }
    }

    /** Parses {@code ws://host:port}; the schemes {@code wss}, {@code http} and {@code https} are accepted too. */
    public static ServerAddress parse(String url, int weight) {
        URI uri = uri(url);
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        boolean encrypted = scheme.equals("wss") || scheme.equals("https");
        if ((!encrypted && !scheme.equals("ws") && !scheme.equals("http")) || uri.getHost() == null) {
            throw new IllegalArgumentException("a server must be ws://host:port or wss://host:port, not " + url);
        }
        int port = uri.getPort() >= 0 ? uri.getPort() : encrypted ? DEFAULT_TLS_PORT : DEFAULT_PORT;
        String path = uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
        return new ServerAddress(encrypted, unbracketed(uri.getHost()), port, path, weight);
    }

    private static URI uri(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a URL: " + url, e);
        }
    }

    private static String unbracketed(String host) {
        return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    }

    /** Returns the value of the Host header. */
    String hostHeader() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }

    /** Returns the path of one of the server's HTTP resources. */
    String pathOf(String resource) {
        return (path.endsWith("/") ? path.substring(0, path.length() - 1) : path) + resource;
    }

    @Override
    public String toString() {
        return (encrypted ? "wss://" : "ws://") + hostHeader() + (path.equals("/") ? "" : path);
    }
}
