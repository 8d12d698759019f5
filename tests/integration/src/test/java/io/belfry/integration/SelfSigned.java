package io.belfry.integration;

import io.belfry.testsupport.KeyTool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A self-signed certificate with its key, in files of the formats that servers accept. Immutable. */
record SelfSigned(Path store, Path certificate, Path key) {
    static final String PASSWORD = "for-a-test-only";

    /** Certificates by subject and options, because the generation of one takes time. */
    private static final Map<List<Object>, SelfSigned> MADE = new ConcurrentHashMap<>();

    /** Creates a certificate for 127.0.0.1. */
    static SelfSigned make() {
        return make("CN=somewhere", "-keyalg", "EC");
    }

    /** Creates new files; files of the same subject and options have the same key and certificate. */
    static SelfSigned make(String subject, String... options) {
        SelfSigned made = MADE.computeIfAbsent(List.of(subject, List.of(options)), asked -> generate(subject, options));
        SelfSigned copied = in(newFolder());
        copy(made.store, copied.store);
        made.replace(copied);
        return copied;
    }

    private static Path newFolder() {
        try {
            return Files.createTempDirectory(TestMachine.target(), "tls");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SelfSigned in(Path folder) {
        return new SelfSigned(folder.resolve("keys.p12"), folder.resolve("certificate.pem"), folder.resolve("key.pem"));
    }

    private static SelfSigned generate(String subject, String... options) {
        try {
            SelfSigned made = in(newFolder());
            Path store = made.store;
            List<String> common = List.of("-keystore", store.toString(), "-storepass", PASSWORD, "-alias", "server");
            List<String> line = new ArrayList<>(List.of("-genkeypair"));
            line.addAll(common);
            line.addAll(List.of("-dname", subject, "-ext", "SAN=ip:127.0.0.1"));
            line.addAll(List.of(options));
            KeyTool.run(line);
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            write(made.certificate, "CERTIFICATE", keys.getCertificate("server").getEncoded());
            write(
                    made.key,
                    "PRIVATE KEY",
                    keys.getKey("server", PASSWORD.toCharArray()).getEncoded());
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void write(Path file, String label, byte[] der) throws IOException {
        String base64 = Base64.getMimeEncoder().encodeToString(der);
        Files.writeString(file, "-----BEGIN " + label + "-----\n" + base64 + "\n-----END " + label + "-----\n");
    }

    /** Returns settings with which a server listens with this certificate on a free port after its plain port. */
    String[] settings(String... more) {
        List<String> settings = new ArrayList<>(
                List.of("ListenEncrypted=127.0.0.1:0", "Certificate=" + certificate, "CertificateKey=" + key));
        settings.addAll(List.of(more));
        return settings.toArray(String[]::new);
    }

    /** Replaces the other certificate by this one; each file is replaced atomically. */
    void replace(SelfSigned other) {
        copy(certificate, other.certificate);
        copy(key, other.key);
    }

    /** Writes a copy beside the target and moves it to the target, as a careful administrator does. */
    static void copy(Path from, Path to) {
        try {
            Path beside = to.resolveSibling(to.getFileName() + ".new");
            Files.copy(from, beside, StandardCopyOption.REPLACE_EXISTING);
            Files.move(beside, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns a client context that trusts these certificates and presents the certificate of {@code own} unless null.
     */
    static SSLContext client(@Nullable SelfSigned own, SelfSigned... trusted) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(
                    own == null ? null : KeyStore.getInstance(own.store.toFile(), PASSWORD.toCharArray()),
                    PASSWORD.toCharArray());
            return client(keys.getKeyManagers(), trust(trusted));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns a client context without a session to resume. */
    static SSLContext client(KeyManager @Nullable [] keys, TrustManager[] trust) {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    static TrustManager[] trust(SelfSigned... trusted) {
        try {
            KeyStore trust = KeyStore.getInstance("PKCS12");
            trust.load(null, null);
            for (SelfSigned each : trusted) {
                KeyStore keys = KeyStore.getInstance(each.store.toFile(), PASSWORD.toCharArray());
                trust.setCertificateEntry(each.store.toString(), keys.getCertificate("server"));
            }
            TrustManagerFactory trusts = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusts.init(trust);
            return trusts.getTrustManagers();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
