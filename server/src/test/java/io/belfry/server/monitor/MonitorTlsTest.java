package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import javax.net.ssl.SSLServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the settings of the JMX connector's TLS sockets. */
class MonitorTlsTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    private Path folder;

    @Test
    void jmxSocketsOfferOnlyTheIntermediateGroups() throws Exception {
        try (ServerSocket socket =
                MonitorTls.of(Fixtures.jmxOverTls(emptyStore(), PASSWORD)).createServerSocket(0)) {
            assertThat(((SSLServerSocket) socket).getSSLParameters().getNamedGroups())
                    .containsExactly("X25519", "secp256r1", "secp384r1");
            assertThat(((SSLServerSocket) socket).getEnabledProtocols()).containsExactly("TLSv1.3", "TLSv1.2");
        }
    }

    private Path emptyStore() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        Path file = folder.resolve("keys.p12");
        try (var out = Files.newOutputStream(file)) {
            store.store(out, PASSWORD.toCharArray());
        }
        return file;
    }
}
