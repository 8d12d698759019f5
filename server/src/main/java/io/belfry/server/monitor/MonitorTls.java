package io.belfry.server.monitor;

import io.belfry.server.config.MonitorConfig;
import io.belfry.server.config.TlsGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ServerSocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;

/**
 * Creates TLS server sockets for the JMX connector, with the configured key store and with the TLS versions and groups
 * of the clients' port. Immutable.
 */
final class MonitorTls extends ServerSocketFactory {
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final ServerSocketFactory sockets;
    private final String[] groups;

    private MonitorTls(ServerSocketFactory sockets, String[] groups) {
        this.sockets = sockets;
        this.groups = groups;
    }

    static MonitorTls of(MonitorConfig config) throws IOException {
        String[] groups =
                config.tlsGroups().stream().map(TlsGroup::standardName).toArray(String[]::new);
        return new MonitorTls(context(config).getServerSocketFactory(), groups);
    }

    private static SSLContext context(MonitorConfig config) throws IOException {
        Path keyStore = config.keyStore()
                .orElseThrow(() -> new IOException("MonitorJMX.Encryption = true needs KeyStore and KeyStorePassword"));
        char[] password = config.keyStorePassword().orElse("").toCharArray();
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(KeyStore.getInstance(keyStore.toFile(), password), password);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), null, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IOException("KeyStore: " + keyStore + " cannot be used: " + e.getMessage(), e);
        }
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        return restricted(sockets.createServerSocket(port));
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog) throws IOException {
        return restricted(sockets.createServerSocket(port, backlog));
    }

    @Override
    public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
        return restricted(sockets.createServerSocket(port, backlog, address));
    }

    private ServerSocket restricted(ServerSocket opened) {
        SSLServerSocket socket = (SSLServerSocket) opened;
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setProtocols(PROTOCOLS);
        parameters.setNamedGroups(groups);
        socket.setSSLParameters(parameters);
        return socket;
    }
}
