package io.belfry.server.monitor;

import io.belfry.server.config.MonitorConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the monitor's password comes from: the configuration, its file, or a file we wrote at an earlier start. Pure. */
final class PasswordSource {
    static final String GENERATED_FILE = "monitor.password";

    private static final Logger LOG = LoggerFactory.getLogger(PasswordSource.class);
    private static final int RANDOM_BYTES = 24;
    private static final int FILE_BYTES_MAX = 4_096;
    private static final Set<PosixFilePermission> OTHERS_CAN_READ =
            EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private PasswordSource() {}

    static Credentials credentials(MonitorConfig config, Path stateFolder) throws IOException {
        return new Credentials(config.username(), password(config, stateFolder));
    }

    private static String password(MonitorConfig config, Path stateFolder) throws IOException {
        if (config.password().isPresent()) {
            return config.password().get();
        }
        if (config.passwordFile().isPresent()) {
            return read(config.passwordFile().get());
        }
        Path generated = stateFolder.resolve(GENERATED_FILE).toAbsolutePath();
        if (!Files.exists(generated)) {
            generate(generated);
        }
        LOG.info("The monitor's username is {}, its password stands in {}", config.username(), generated);
        return read(generated);
    }

    private static String read(Path file) throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > FILE_BYTES_MAX) {
            throw new IOException("The monitor's password file " + file + " is not a readable file of at most "
                    + FILE_BYTES_MAX + " bytes");
        }
        warnWhereOthersCanRead(file);
        String password = Files.readString(file).lines().findFirst().orElse("");
        if (password.isBlank()) {
            throw new IOException("The monitor's password file " + file + " has no password in its first line");
        }
        return password;
    }

    private static void warnWhereOthersCanRead(Path file) throws IOException {
        if (!hasPosixPermissions(file)) {
            return;
        }
        Set<PosixFilePermission> readers = EnumSet.copyOf(OTHERS_CAN_READ);
        readers.retainAll(Files.getPosixFilePermissions(file));
        if (!readers.isEmpty()) {
            LOG.warn("Others than its owner can read the monitor's password file {}: chmod 600 {}", file, file);
        }
    }

    /** Written beside and moved, so that a file of this name always holds a whole password. */
    private static void generate(Path file) throws IOException {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        Path folder = Files.createDirectories(file.resolveSibling("").toAbsolutePath());
        // The JDK makes temporary files readable by their owner only.
        Path written = Files.createTempFile(folder, GENERATED_FILE, ".new");
        Files.writeString(written, Base64.getUrlEncoder().withoutPadding().encodeToString(random) + "\n");
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static boolean hasPosixPermissions(Path file) throws IOException {
        return Files.getFileStore(file).supportsFileAttributeView("posix");
    }
}
