package io.belfry.server.entitlement;

import io.belfry.server.config.JwtKeyConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One source of keys, and the keys last read from it. Owner: the thread that watches the keys; before it runs, the thread
 * that starts the server.
 */
final class KeySource implements AutoCloseable {
    /** Reads keys; may block. */
    private interface Reading {
        List<VerificationKey> read() throws IOException, InterruptedException;
    }

    private final String name;
    private final Optional<Path> file;
    private final Reading reading;
    private final @Nullable KeyUrl url;
    private List<VerificationKey> keys = List.of();
    private Object stamp = "";

    private KeySource(String name, Optional<Path> file, @Nullable KeyUrl url, Reading reading) {
        this.name = name;
        this.file = file;
        this.url = url;
        this.reading = reading;
    }

    static List<KeySource> of(JwtKeyConfig config) {
        KeyReader reader = new KeyReader(Algorithm.of(config.algorithm().orElse(null)));
        List<KeySource> sources = new ArrayList<>();
        config.secret().ifPresent(text -> sources.add(ofSetting(() -> reader.secret(text))));
        config.secretFile().ifPresent(file -> sources.add(ofFile(file, () -> reader.secretFile(file))));
        config.publicKey().ifPresent(file -> sources.add(ofFile(file, () -> reader.pem(file))));
        config.jwksFile().ifPresent(file -> sources.add(ofFile(file, () -> reader.jwksFile(file))));
        config.jwksUrl().ifPresent(address -> sources.add(ofUrl(address, reader)));
        return sources;
    }

    private static KeySource ofSetting(Reading reading) {
        return new KeySource("Jwt.Secret", Optional.empty(), null, reading);
    }

    private static KeySource ofFile(Path file, Reading reading) {
        return new KeySource(file.toString(), Optional.of(file), null, reading);
    }

    private static KeySource ofUrl(URI address, KeyReader reader) {
        KeyUrl url = new KeyUrl(address);
        // The query may contain a secret.
        String name = address.getScheme() + "://" + address.getAuthority() + address.getPath();
        return new KeySource(name, Optional.empty(), url, () -> reader.jwks(name, url.fetch()));
    }

    String name() {
        return name;
    }

    boolean isRemote() {
        return url != null;
    }

    List<VerificationKey> keys() {
        return keys;
    }

    /** Returns whether the file differs from the one that was read. */
    boolean hasChanged() {
        return file.isPresent() && !stampOf(file.get()).equals(stamp);
    }

    /** Reads the keys. On a failure the earlier keys stay valid, and the file is not read again until it changes. */
    void read() throws IOException, InterruptedException {
        file.ifPresent(path -> stamp = stampOf(path));
        keys = reading.read();
    }

    private static Object stampOf(Path file) {
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class, new LinkOption[0]);
            return now.lastModifiedTime() + " " + now.size() + " " + now.fileKey();
        } catch (IOException e) {
            return "gone";
        }
    }

    @Override
    public void close() {
        if (url != null) {
            url.close();
        }
    }
}
