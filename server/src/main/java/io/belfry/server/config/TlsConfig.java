package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * TLS settings of the listeners for clients. The code that reads the files checks their content. Immutable; its text
 * never contains secrets.
 *
 * @param identity source of the server's certificate and key; empty if none is configured
 * @param groups groups for the key exchange, in order of preference
 * @param checkMillis interval between checks of the files for changes
 * @param handshakeBytes maximum bytes that a client may send before its handshake is complete
 * @param handshakeRate maximum number of handshakes begun per second; 0 means no limit
 */
public record TlsConfig(
        Optional<Source> identity,
        Provider provider,
        ClientCertificates clientCertificates,
        Optional<Path> clientAuthorities,
        List<TlsGroup> groups,
        long checkMillis,
        int handshakeBytes,
        int handshakeRate) {
    /** Implementation of TLS. */
    public enum Provider {
        AUTO,
        OPENSSL,
        JDK
    }

    /** Whether clients may or must present a certificate. */
    public enum ClientCertificates {
        NONE,
        WANT,
        NEED
    }

    static final long MIN_CHECK_MILLIS = 10;
    static final long MAX_CHECK_MILLIS = 3_600_000;

    /** Minimum limit; an ordinary ClientHello has 200 to 2,000 bytes. */
    static final int MIN_HANDSHAKE_BYTES = 4096;

    static final int MAX_HANDSHAKE_BYTES = 1 << 20;

    /** Source of a certificate and its key. */
    public sealed interface Source {
        /** Two PEM files, one for the certificate and one for the key. */
        record Pem(Path certificate, Path key, Optional<String> password) implements Source {
            @Override
            public String toString() {
                return "Pem[certificate=" + certificate + ", key=" + key + ", password=" + Secrets.shown(password)
                        + "]";
            }
        }

        /** One key store file that contains both. */
        record Store(Path file, Optional<String> password) implements Source {
            @Override
            public String toString() {
                return "Store[file=" + file + ", password=" + Secrets.shown(password) + "]";
            }
        }
    }

    public TlsConfig {
        groups = List.copyOf(groups);
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

    /** Returns the source that these keys configure. */
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
            throw new InvalidSetting("CertificateKeyPassword", "needs CertificateKey");
        }
        return certificate.isPresent()
                ? Optional.of(new Source.Pem(certificate.get(), key.orElseThrow(), keyPassword))
                : store.map(file -> new Source.Store(file, storePassword));
    }
}
