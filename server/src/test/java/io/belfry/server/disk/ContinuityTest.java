package io.belfry.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.HistoryConfig.Sync;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContinuityTest {
    private static final Continuity CONTINUITY =
            new Continuity(7, -42, 3, "boot", false, Sync.ALWAYS, List.of(-1L, 123_456_789_012L));

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("continuity");
    }

    private Continuity.Read read() throws IOException {
        return Continuity.read(folder).orElseThrow();
    }

    @Test
    void aWrittenContinuityIsReadUnchanged() throws IOException {
        CONTINUITY.write(folder);
        assertThat(read()).isEqualTo(new Continuity.Read(CONTINUITY, true));
        Continuity stopped = CONTINUITY.stopped(List.of(8L, 9L));
        stopped.write(folder);
        assertThat(read()).isEqualTo(new Continuity.Read(stopped, true));
        assertThat(read().continuity().clean()).isTrue();
    }

    @Test
    void withoutAFileThereIsNoContinuity() throws IOException {
        assertThat(Continuity.read(folder)).isEmpty();
    }

    @Test
    void aTruncatedOrDamagedFileIsIgnored() throws IOException {
        CONTINUITY.write(folder);
        byte[] whole = Files.readAllBytes(file());
        for (int length = 0; length < whole.length - 1; length++) {
            Files.write(file(), java.util.Arrays.copyOf(whole, length));
            assertThat(Continuity.read(folder)).as("%d bytes", length).isEmpty();
        }
        for (int at = 0; at < whole.length - 1; at++) {
            byte[] other = whole.clone();
            other[at] ^= 0x11;
            Files.write(file(), other);
            assertThat(Continuity.read(folder)).as("byte %d", at).isEmpty();
        }
    }

    @Test
    void aCopyInThePlaceOfTheFileIsNotTheOriginal() throws IOException {
        CONTINUITY.write(folder);
        Path copy = folder.resolve("copy");
        Files.copy(file(), copy, StandardCopyOption.COPY_ATTRIBUTES);
        Files.move(copy, file(), StandardCopyOption.REPLACE_EXISTING);
        assertThat(read()).isEqualTo(new Continuity.Read(CONTINUITY, false));
    }

    /**
     * Overwrites the file in place, as {@code cp -r backup/. data/} does: the same file and, within one run, the same
     * bytes.
     */
    @Test
    void aBackupWrittenOverTheFileIsNotTheOriginal() throws IOException {
        CONTINUITY.write(folder);
        byte[] backup = Files.readAllBytes(file());
        Files.write(file(), backup, StandardOpenOption.TRUNCATE_EXISTING);
        assertThat(read()).isEqualTo(new Continuity.Read(CONTINUITY, false));
    }

    @Test
    void aFileOfAnEarlierRunIsNotTheOriginal() throws IOException {
        CONTINUITY.write(folder);
        byte[] backup = Files.readAllBytes(file());
        CONTINUITY.stopped(List.of(1L, 2L)).write(folder);
        Files.write(file(), backup, StandardOpenOption.TRUNCATE_EXISTING);
        assertThat(read()).isEqualTo(new Continuity.Read(CONTINUITY, false));
    }
}
