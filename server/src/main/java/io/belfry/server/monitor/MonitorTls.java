package io.belfry.server.monitor;

import io.belfry.server.config.MonitorConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Makes the TLS context of the JMX connector from the configured key store. Pure. */
final class MonitorTls {
    private MonitorTls() {}

    static SSLContext context(MonitorConfig config) throws IOException {
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
            throw new IOException("The key store " + keyStore + " cannot be used: " + e.getMessage(), e);
        }
    }
}
