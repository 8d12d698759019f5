package io.belfry.server.monitor;

import io.belfry.server.config.MonitorConfig;
import io.belfry.server.config.SecretFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Base64;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the monitor's password from the configuration, its file, or a file generated at an earlier start. Pure. */
final class PasswordSource {
    static final String GENERATED_FILE = "monitor.password";

    private static final Logger LOG = LoggerFactory.getLogger(PasswordSource.class);
    private static final int RANDOM_BYTES = 24;
    private static final String WHAT = "the monitor's password file";

    private PasswordSource() {}

    static Credentials credentials(MonitorConfig config, Path stateFolder) throws IOException {
        return new Credentials(config.username(), password(config, stateFolder));
    }

    private static String password(MonitorConfig config, Path stateFolder) throws IOException {
        if (config.password().isPresent()) {
            return config.password().get();
        }
        if (config.passwordFile().isPresent()) {
            return SecretFiles.firstLine(WHAT, config.passwordFile().get());
        }
        Path generated = stateFolder.resolve(GENERATED_FILE).toAbsolutePath();
        if (!Files.exists(generated)) {
            generate(generated);
        }
        LOG.info("monitor: username {}, password in file {}", config.username(), generated);
        return SecretFiles.firstLine(WHAT, generated);
    }

    /** Writes a temporary file and renames it, so that a file of this name always contains a complete password. */
    private static void generate(Path file) throws IOException {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        Path folder = Files.createDirectories(file.resolveSibling("").toAbsolutePath());
        // The JDK creates temporary files that only their owner can read.
        Path written = Files.createTempFile(folder, GENERATED_FILE, ".new");
        Files.writeString(written, Base64.getUrlEncoder().withoutPadding().encodeToString(random) + "\n");
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
