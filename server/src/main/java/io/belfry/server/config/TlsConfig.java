package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.Optional;

/**
 * With which certificate and how clients are encrypted. What the files hold is judged by who reads them. Immutable;
 * secrets are never shown.
 *
 * @param identity where the server's own certificate and key are; empty where none is configured
 * @param checkMillis how often the files are looked at for changes
 * @param handshakeBytes how much a client may send before its handshake is complete
 * @param handshakeRate handshakes begun per second; 0 is no limit
 */
public record TlsConfig(
        Optional<Source> identity,
        Provider provider,
        ClientCertificates clientCertificates,
        Optional<Path> clientAuthorities,
        long checkMillis,
        int handshakeBytes,
        int handshakeRate) {
    /** Who encrypts. */
    public enum Provider {
        AUTO,
        OPENSSL,
        JDK
    }

    /** Whether clients show who they are. */
    public enum ClientCertificates {
        NONE,
        WANT,
        NEED
    }

    static final long MIN_CHECK_MILLIS = 10;
    static final long MAX_CHECK_MILLIS = 3_600_000;

    /** A plain hello has 200 to 2,000 bytes. */
    static final int MIN_HANDSHAKE_BYTES = 4096;

    static final int MAX_HANDSHAKE_BYTES = 1 << 20;

    /** Where a certificate and its key are read from. */
    public sealed interface Source {
        /** Two PEM files. */
        record Pem(Path certificate, Path key, Optional<String> password) implements Source {
            @Override
            public String toString() {
                return "Pem[certificate=" + certificate + ", key=" + key + ", password=" + Secrets.shown(password)
                        + "]";
            }
        }

        /** One file with both. */
        record Store(Path file, Optional<String> password) implements Source {
            @Override
            public String toString() {
                return "Store[file=" + file + ", password=" + Secrets.shown(password) + "]";
            }
        }
    }

    public TlsConfig {
        InvalidSetting.unless(
                clientCertificates == ClientCertificates.NONE || clientAuthorities.isPresent(),
                "Tls.ClientCertificates",
                clientCertificates.name().toLowerCase(java.util.Locale.ROOT),
                "needs Tls.ClientAuthorities");
        InvalidSetting.unlessWithin(MIN_CHECK_MILLIS, MAX_CHECK_MILLIS, "Tls.CheckInterval", checkMillis);
        InvalidSetting.unlessWithin(
                MIN_HANDSHAKE_BYTES, MAX_HANDSHAKE_BYTES, "Limit.TlsHandshakeBytes", handshakeBytes);
        InvalidSetting.unlessWithin(0, Integer.MAX_VALUE, "Limit.TlsHandshakeRate", handshakeRate);
    }

    /** The one source that these keys name. */
    static Optional<Source> source(
            Optional<Path> certificate,
            Optional<Path> key,
            Optional<String> keyPassword,
            Optional<Path> store,
            Optional<String> storePassword) {
        InvalidSetting.unless(
                certificate.isPresent() == key.isPresent(),
                certificate.isPresent() ? "Certificate" : "CertificateKey",
                certificate.or(() -> key).map(Path::toString).orElse(""),
                certificate.isPresent() ? "needs CertificateKey" : "needs Certificate");
        if (keyPassword.isPresent() && key.isEmpty()) {
            throw new InvalidSetting("CertificateKeyPassword", "stands without CertificateKey");
        }
        return certificate.isPresent()
                ? Optional.of(new Source.Pem(certificate.get(), key.orElseThrow(), keyPassword))
                : store.map(file -> new Source.Store(file, storePassword));
    }
}
