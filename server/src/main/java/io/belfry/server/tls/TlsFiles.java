package io.belfry.server.tls;

import io.belfry.server.config.TlsConfig;
import io.belfry.server.config.TlsConfig.Source;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A snapshot of the contents of the configured TLS files. Changes are found by comparing contents instead of
 * modification times: a file may be replaced twice within one clock tick, or be a link to another file. Immutable.
 */
public final class TlsFiles {
    /** Maximum size of a file; a larger file is certainly not a certificate, key or store. */
    private static final int BYTES_MAX = 1 << 20;

    private final TlsConfig config;
    private final List<byte[]> contents;

    private TlsFiles(TlsConfig config, List<byte[]> contents) {
        this.config = config;
        this.contents = contents;
    }

    /** Reads all files that the configuration names. */
    public static TlsFiles read(TlsConfig config) throws TlsException {
        List<byte[]> contents = new ArrayList<>();
        switch (config.identity().orElseThrow()) {
            case Source.Pem pem -> {
                contents.add(bytes("Certificate", pem.certificate()));
                contents.add(bytes("CertificateKey", pem.key()));
            }
            case Source.Store store -> contents.add(bytes("KeyStore", store.file()));
        }
        if (asksClients(config)) {
            contents.add(
                    bytes("Tls.ClientAuthorities", config.clientAuthorities().orElseThrow()));
        }
        return new TlsFiles(config, contents);
    }

    private static boolean asksClients(TlsConfig config) {
        return config.clientCertificates() != TlsConfig.ClientCertificates.NONE;
    }

    private static byte[] bytes(String key, Path file) throws TlsException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(BYTES_MAX + 1);
            if (content.length > BYTES_MAX) {
                throw new TlsException(key + " = " + file + ": exceeds " + BYTES_MAX + " bytes");
            }
            return content;
        } catch (TlsException tooLarge) {
            throw tooLarge;
        } catch (IOException unreadable) {
            throw new TlsException(key + " = " + file + ": cannot be read (" + unreadable + ")");
        }
    }

    TlsConfig config() {
        return config;
    }

    /** Returns whether both snapshots have the same contents and settings. */
    boolean agreesWith(TlsFiles other) {
        return config.equals(other.config) && Arrays.deepEquals(contents.toArray(), other.contents.toArray());
    }

    /**
     * Returns the server's identity after checks: the key matches the certificate, and the certificate is valid now.
     */
    public Identity identity(Instant now) throws TlsException {
        Identity identity = switch (config.identity().orElseThrow()) {
            case Source.Pem pem -> pem(pem);
            case Source.Store store ->
                naming(
                        "KeyStore",
                        store.file(),
                        () -> stored(store.password().orElse("").toCharArray()));
        };
        String where = switch (config.identity().orElseThrow()) {
            case Source.Pem pem -> "Certificate = " + pem.certificate();
            case Source.Store store -> "KeyStore = " + store.file();
        };
        if (!identity.matches()) {
            throw new TlsException(where + ": the key does not match the certificate");
        }
        if (!identity.isValid(now)) {
            throw new TlsException(where + ": " + identity + " is not valid now");
        }
        return identity;
    }

    private Identity pem(Source.Pem pem) throws TlsException {
        List<X509Certificate> chain =
                naming("Certificate", pem.certificate(), () -> Identity.certificates(PemBlock.in(contents.getFirst())));
        PrivateKey key = naming(
                "CertificateKey",
                pem.key(),
                () -> PrivateKeys.of(
                        PemBlock.in(contents.get(1)), chain.getFirst().getPublicKey(), pem.password()));
        return new Identity(key, chain);
    }

    private Identity stored(char[] password) throws TlsException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(new ByteArrayInputStream(contents.getFirst()), password);
            List<String> keys = new ArrayList<>();
            for (String alias : Collections.list(store.aliases())) {
                if (store.isKeyEntry(alias)) {
                    keys.add(alias);
                }
            }
            if (keys.size() != 1 || !(store.getKey(keys.getFirst(), password) instanceof PrivateKey key)) {
                throw new TlsException("must hold exactly one private key, but holds " + keys.size());
            }
            List<X509Certificate> chain = new ArrayList<>();
            for (Certificate certificate : store.getCertificateChain(keys.getFirst())) {
                chain.add((X509Certificate) certificate);
            }
            return new Identity(key, chain);
        } catch (TlsException known) {
            throw known;
        } catch (GeneralSecurityException | IOException failure) {
            throw new TlsException("cannot be opened with KeyStorePassword", failure);
        }
    }

    /**
     * Returns the authorities that sign client certificates; empty if the server does not request client
     * certificates.
     */
    List<X509Certificate> clientAuthorities() throws TlsException {
        return asksClients(config)
                ? naming(
                        "Tls.ClientAuthorities",
                        config.clientAuthorities().orElseThrow(),
                        () -> Identity.certificates(PemBlock.in(contents.getLast())))
                : List.of();
    }

    /** Returns a warning if all users of this host can read the private key. */
    public Optional<String> exposure() {
        Path file = switch (config.identity().orElseThrow()) {
            case Source.Pem pem -> pem.key();
            case Source.Store store -> store.file();
        };
        try {
            return Files.getFileStore(file).supportsFileAttributeView("posix")
                            && Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)
                    ? Optional.of("all users of this host can read the private key in " + file + ": chmod o= " + file)
                    : Optional.empty();
        } catch (IOException replaced) {
            return Optional.empty();
        }
    }

    /** Runs the reader, and adds the configuration key and the file name to the message if it fails. */
    private static <T> T naming(String key, Path file, Reading<T> reading) throws TlsException {
        try {
            return reading.read();
        } catch (TlsException e) {
            throw new TlsException(key + " = " + file + ": " + e.getMessage());
        }
    }

    /** Converts the bytes of a file. */
    @FunctionalInterface
    private interface Reading<T> {
        T read() throws TlsException;
    }
}
