package io.belfry.server.entitlement;

import io.belfry.server.entitlement.Revocations.Kind;
import io.belfry.server.entitlement.Revocations.Revocation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The file with the revoked tokens, so that a start continues with them. A line has the kind, the two times and the name. The file
 * is replaced as a whole. Any thread, one at a time.
 */
public record RevocationFile(Path path) {
    private static final String HEAD = "# revoked tokens: kind issued-before until name; written by the server\n";

    List<Revocation> read() throws IOException {
        List<Revocation> entries = new ArrayList<>();
        try {
            int number = 0;
            for (String line : Files.readAllLines(path)) {
                number++;
                if (!line.isBlank() && !line.startsWith("#")) {
                    entries.add(entry(line, number));
                }
            }
        } catch (NoSuchFileException first) {
            return List.of();
        }
        return entries;
    }

    private Revocation entry(String line, int number) throws IOException {
        String[] words = line.split(" ", 4);
        try {
            return new Revocation(
                    Kind.valueOf(words[0].toUpperCase(Locale.ROOT)),
                    words[3],
                    Long.parseLong(words[1]),
                    Long.parseLong(words[2]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException malformed) {
            throw new IOException(
                    "Api.RevocationFile: " + path + ", line " + number
                            + " is not a revocation; restore the file, or remove the line if its tokens have expired",
                    malformed);
        }
    }

    void write(Collection<Revocation> entries) throws IOException {
        String text = entries.stream()
                .map(each -> each.kind().name().toLowerCase(Locale.ROOT) + " " + each.issuedBeforeMillis() + " "
                        + each.untilMillis() + " " + each.name() + "\n")
                .collect(Collectors.joining("", HEAD, ""));
        Path next = path.resolveSibling(path.getFileName() + ".new");
        try (FileChannel file = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
            while (bytes.hasRemaining()) {
                file.write(bytes);
            }
            file.force(true);
        }
        Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
