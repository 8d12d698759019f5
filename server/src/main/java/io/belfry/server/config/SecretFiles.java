package io.belfry.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads files with secrets and checks their permissions. Pure except for the files and the log. */
public final class SecretFiles {
    private static final Logger LOG = LoggerFactory.getLogger(SecretFiles.class);
    private static final int BYTES_MAX = 4_096;
    private static final Set<PosixFilePermission> OTHERS_CAN_READ =
            EnumSet.of(PosixFilePermission.GROUP_READ, PosixFilePermission.OTHERS_READ);

    private SecretFiles() {}

    /**
     * Returns the secret in the first line of a small file.
     *
     * @param what description of the file for messages, such as "the monitor's password file"
     */
    public static String firstLine(String what, Path file) throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > BYTES_MAX) {
            throw new IOException(
                    sentence(what) + " " + file + " cannot be read or is larger than " + BYTES_MAX + " bytes");
        }
        warnWhereOthersCanRead(what, file);
        String secret = Files.readString(file).lines().findFirst().orElse("");
        if (secret.isBlank()) {
            throw new IOException(sentence(what) + " " + file + " has an empty first line; write the secret there");
        }
        return secret;
    }

    /** Logs a warning with the remedy if other users can read the file. */
    public static void warnWhereOthersCanRead(String what, Path file) throws IOException {
        if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
            return;
        }
        Set<PosixFilePermission> readers = EnumSet.copyOf(OTHERS_CAN_READ);
        readers.retainAll(Files.getPosixFilePermissions(file));
        if (!readers.isEmpty()) {
            LOG.warn("users other than the owner can read {} {}; run: chmod 600 {}", what, file, file);
        }
    }

    private static String sentence(String what) {
        return Character.toUpperCase(what.charAt(0)) + what.substring(1);
    }
}
