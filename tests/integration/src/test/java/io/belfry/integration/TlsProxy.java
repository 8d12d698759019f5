package io.belfry.integration;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** What terminates TLS before a server that speaks plain text, with a certificate of its own making. Any thread. */
final class TlsProxy implements AutoCloseable {
    private static final String PASSWORD = "for-a-test-only";

    private final ServerSocket listening;
    private final int target;
    private final Path certificate;

    TlsProxy(int target) {
        this.target = target;
        try {
            Path folder = Files.createTempDirectory(Machine.target(), "tls");
            Path store = folder.resolve("keys.p12");
            certificate = folder.resolve("certificate.pem");
            List<String> common = List.of("-keystore", store.toString(), "-storepass", PASSWORD, "-alias", "proxy");
            keytool("-genkeypair", common, "-keyalg", "EC", "-dname", "CN=somewhere", "-ext", "SAN=ip:127.0.0.1");
            keytool("-exportcert", common, "-rfc", "-file", certificate.toString());
            listening =
                    context(store).getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        Thread.ofVirtual().start(this::accept);
    }

    private static void keytool(String command, List<String> common, String... more) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        line.add(command);
        line.addAll(common);
        line.addAll(List.of(more));
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IllegalStateException(said);
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static SSLContext context(Path store) throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD.toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    int port() {
        return listening.getLocalPort();
    }

    /** PEM. */
    Path certificate() {
        return certificate;
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                Thread.ofPlatform().daemon().start(() -> pump(client, server));
                Thread.ofPlatform().daemon().start(() -> pump(server, client));
            } catch (IOException closing) {
                return;
            }
        }
    }

    private static void pump(Socket from, Socket to) {
        byte[] some = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(some); count >= 0; count = in.read(some)) {
                out.write(some, 0, count);
            }
        } catch (IOException ended) {
            // Either side may go at any time; both are closed.
        }
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
