package io.belfry.cli;

import io.belfry.client.BelfryClient;
import io.belfry.client.ServerAddress;
import io.belfry.client.StatusListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that state how to connect. */
final class ConnectOptions {
    @Option(
            names = {"-s", "--server"},
            paramLabel = "URL",
            defaultValue = "ws://127.0.0.1:8800",
            description = "ws://HOST:PORT or wss://HOST:PORT; may be repeated for several nodes"
                    + " (default: ${DEFAULT-VALUE})")
    private List<String> servers = List.of();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = "the first line is the token; it is read again for each connection")
    private @Nullable Path tokenFile;

    @Option(
            names = "--trust",
            paramLabel = "FILE",
            description = "trusts only the certificates in this PEM file (default: those that the JDK trusts)")
    private @Nullable Path trusted;

    /** Returns a builder of a client that connects as these options state. */
    BelfryClient.Builder client(StatusListener statuses) throws IOException {
        BelfryClient.Builder builder = BelfryClient.builder().listener(statuses);
        servers.forEach(builder::server);
        if (trusted != null) {
            builder.trust(readable(trusted));
        }
        if (tokenFile != null) {
            readable(tokenFile);
            builder.token(this::tokenNow);
        }
        return builder;
    }

    /** Returns the server for calls that need only one. */
    ServerAddress firstServer() {
        return ServerAddress.parse(servers.getFirst(), 1);
    }

    /** Returns the token, or null without {@code --token-file}. */
    @Nullable
    String token() throws IOException {
        return tokenFile == null ? null : firstLine(readable(tokenFile));
    }

    @Nullable
    Path trusted() {
        return trusted;
    }

    /** Returns the first line of a file that holds a secret, or an empty text. */
    static String firstLine(Path file) throws IOException {
        return Files.readString(file).lines().findFirst().orElse("").strip();
    }

    private @Nullable String tokenNow() {
        try {
            return token();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone.getMessage(), gone);
        }
    }

    private static Path readable(Path file) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("cannot read " + file);
        }
        return file;
    }
}
