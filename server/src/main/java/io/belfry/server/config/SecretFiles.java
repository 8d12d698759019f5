package io.belfry.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files that hold what only their owner should know. Pure but for the files and the log. */
public final class SecretFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SecretFiles.class);
    private static final int BYTES_MAX = 4_096;
    private static final Set<PosixFilePermission> OTHERS_CAN_READ =
            EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private SecretFiles() {}

    /**
     * The secret in the first line of a small file.
     *
     * @param what the file in a sentence, such as "the monitor's password file"
     */
    public static String firstLine(String what, Path file) throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > BYTES_MAX) {
            throw new IOException(
                    sentence(what) + " " + file + " is not a readable file of at most " + BYTES_MAX + " bytes");
        }
        warnWhereOthersCanRead(what, file);
        String secret = Files.readString(file).lines().findFirst().orElse("");
        if (secret.isBlank()) {
            throw new IOException(sentence(what) + " " + file + " has nothing in its first line");
        }
        return secret;
    }

    /** Says in the log how to mend it. */
    public static void warnWhereOthersCanRead(String what, Path file) throws IOException {
        if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
            return;
        }
        Set<PosixFilePermission> readers = EnumSet.copyOf(OTHERS_CAN_READ);
        readers.retainAll(Files.getPosixFilePermissions(file));
        if (!readers.isEmpty()) {
            LOG.warn("Others than its owner can read {} {}: chmod 600 {}", what, file, file);
        }
    }

    private static String sentence(String what) {
        return Character.toUpperCase(what.charAt(0)) + what.substring(1);
    }
}
