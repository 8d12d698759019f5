package io.belfry.server.disk;

import io.belfry.server.config.HistoryConfig.Sync;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * The state of a history beside its messages, in a small file that is rewritten at every start and stop.
 * Immutable.
 *
 * @param epoch the epoch of the positions
 * @param seed the seed of the hash that assigns subjects to lanes
 * @param generation the number of the current folder of logs
 * @param boot the boot of the operating system during which the server ran
 * @param clean whether the server was stopped in order
 * @param sync how batches were written
 * @param ends the end of each lane's log when this file was written
 */
record Continuity(long epoch, long seed, int generation, String boot, boolean clean, Sync sync, List<Long> ends) {
    private static final String NAME = "continuity";
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    int lanes() {
        return ends.size();
    }

    /** Returns the state after an orderly stop. */
    Continuity stopped(List<Long> endsNow) {
        return new Continuity(epoch, seed, generation, boot, true, sync, endsNow);
    }

    /** Returns the id of this boot of the operating system, or a unique word if it is unknown. */
    static String thisBoot() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException notLinux) {
            return "unknown";
        }
    }

    /** The content of the file, and whether it is the file that was written and not a copy of it. */
    record Read(Continuity continuity, boolean original) {}

    /** Reads the file; empty if it does not exist or is incomplete. */
    static Optional<Read> read(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        try {
            String text = Files.readString(file, StandardCharsets.US_ASCII);
            int cut = text.lastIndexOf("checksum=");
            if (cut < 0 || !text.substring(cut).strip().equals("checksum=" + checksum(text.substring(0, cut)))) {
                return Optional.empty();
            }
            Map<String, String> values = Arrays.stream(text.substring(0, cut).split("\n", -1))
                    .map(line -> line.split("=", 2))
                    .filter(parts -> parts.length == 2)
                    .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
            boolean original = keys(file).contains(value(values, "file"))
                    && values.getOrDefault("written", written(file)).equals(written(file));
            return Optional.of(new Read(of(values), original));
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (RuntimeException | java.nio.charset.CharacterCodingException unreadable) {
            return Optional.empty();
        }
    }

    private static Continuity of(Map<String, String> values) {
        return new Continuity(
                Long.parseLong(value(values, "epoch")),
                Long.parseLong(value(values, "seed")),
                Integer.parseInt(value(values, "generation")),
                value(values, "boot"),
                Boolean.parseBoolean(value(values, "clean")),
                Sync.valueOf(value(values, "sync")),
                Arrays.stream(value(values, "ends").split(",", -1))
                        .map(Long::valueOf)
                        .toList());
    }

    private static String value(Map<String, String> values, String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name);
        }
        return value;
    }

    /** Replaces the file atomically. */
    void write(Path folder) throws IOException {
        Path next = folder.resolve(NAME + ".next");
        Files.deleteIfExists(next);
        try (FileChannel channel =
                FileChannel.open(next, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), Folders.FILE)) {
            // A file is never written at a whole second by chance, so the time reveals a file that was copied over this
            // one.
            FileTime second =
                    FileTime.from(Files.getLastModifiedTime(next).toInstant().truncatedTo(ChronoUnit.SECONDS));
            String key = keys(next).getFirst();
            write(channel, key, second);
            Files.setLastModifiedTime(next, second);
            if (!keys(next).contains(key)) {
                // This file system does not store creation times.
                write(channel, keys(next).getLast(), second);
                Files.setLastModifiedTime(next, second);
            }
            channel.force(true);
        }
        Files.move(next, folder.resolve(NAME), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Folders.force(folder);
    }

    private void write(FileChannel channel, String fileKey, FileTime second) throws IOException {
        Map<String, Object> values = new HashMap<>();
        values.put("epoch", epoch);
        values.put("seed", seed);
        values.put("generation", generation);
        values.put("boot", boot);
        values.put("clean", clean);
        values.put("sync", sync);
        values.put("ends", ends.stream().map(String::valueOf).collect(Collectors.joining(",")));
        values.put("file", fileKey);
        values.put("written", second.toString());
        String text = values.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue() + "\n")
                .sorted()
                .collect(Collectors.joining());
        ByteBuffer bytes = StandardCharsets.US_ASCII.encode(text + "checksum=" + checksum(text) + "\n");
        channel.truncate(0);
        for (long at = 0; bytes.hasRemaining(); ) {
            at += channel.write(bytes, at);
        }
    }

    private static String checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.US_ASCII));
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }

    /** Returns the time of the file's last change. */
    private static String written(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toString();
    }

    /** Returns what distinguishes a file from its copy: inode number and creation time, and the inode number alone. */
    private static List<String> keys(Path file) throws IOException {
        String number = String.valueOf(Files.getAttribute(file, "unix:ino"));
        String made = Files.readAttributes(file, BasicFileAttributes.class)
                .creationTime()
                .toInstant()
                .toString();
        return List.of(number + "/" + made, number);
    }
}
