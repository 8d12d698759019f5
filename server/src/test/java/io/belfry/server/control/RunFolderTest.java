package io.belfry.server.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {
    @TempDir
    Path temporary;

    private RunFolder run;

    @BeforeEach
    void name() {
        run = new RunFolder(temporary.resolve("run folder"), "belfry");
    }

    @Test
    void noServerRunsWithoutAFolder() throws IOException {
        assertThat(run.state()).isEqualTo(new RunFolder.State.Absent());
    }

    @Test
    void aClaimedNameRunsUnderThisPid() throws IOException {
        try (RunFolder.Claim claim = run.claim().orElseThrow()) {
            assertThat(claim.socket()).isEqualTo(run.socket());
            assertThat(run.state())
                    .isEqualTo(new RunFolder.State.Running(
                            OptionalLong.of(ProcessHandle.current().pid())));
        }
    }

    @Test
    void aNameIsClaimedOnce() throws IOException {
        try (RunFolder.Claim claim = run.claim().orElseThrow()) {
            assertThat(claim).isNotNull();
            assertThat(run.claim()).isEmpty();
        }
        run.claim().orElseThrow().close();
    }

    @Test
    void twoNamesInOneFolderAreIndependent() throws IOException {
        try (RunFolder.Claim first = run.claim().orElseThrow();
                RunFolder.Claim second =
                        new RunFolder(run.folder(), "second").claim().orElseThrow()) {
            assertThat(first.socket()).isNotEqualTo(second.socket());
        }
    }

    @Test
    void aReleasedClaimLeavesNoPidFile() throws IOException {
        run.claim().orElseThrow().close();
        assertThat(run.state()).isEqualTo(new RunFolder.State.Absent());
        assertThat(run.pidFile()).doesNotExist();
    }

    /** The pid in the file is that of the test: alive, but of a process that is no server and holds no lock. */
    @Test
    void aPidFileOfAnotherProgramIsStale() throws IOException {
        long pid = ProcessHandle.current().pid();
        Files.createDirectories(run.folder());
        Files.writeString(run.pidFile(), pid + "\n");
        assertThat(run.state()).isEqualTo(new RunFolder.State.Stale(pid));
    }

    @Test
    void onlyAStalePidFileIsCleared() throws IOException {
        Files.createDirectories(run.folder());
        Files.writeString(run.pidFile(), "1\n");
        run.clear();
        assertThat(run.pidFile()).doesNotExist();
        try (RunFolder.Claim claim = run.claim().orElseThrow()) {
            run.clear();
            assertThat(claim).isNotNull();
            assertThat(run.pidFile()).exists();
        }
    }

    @Test
    void anInvalidPidFileCountsAsAbsent() throws IOException {
        Files.createDirectories(run.folder());
        Files.writeString(run.pidFile(), "not a pid");
        assertThat(run.state()).isEqualTo(new RunFolder.State.Absent());
    }

    @Test
    void aNewFolderIsPrivate() throws IOException {
        run.claim().orElseThrow().close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(run.folder())))
                .isEqualTo("rwx------");
    }

    @Test
    void aPathTooLongForASocketIsRefusedWithARemedy() {
        RunFolder deep = new RunFolder(temporary.resolve("x".repeat(120)), "belfry");
        assertThatThrownBy(deep::claim).isInstanceOf(IOException.class).hasMessageContaining("BELFRY_RUN_FOLDER");
    }

    @Test
    void aNameWithAPathIsRefused() {
        assertThatThrownBy(() -> new RunFolder(temporary, "../belfry")).isInstanceOf(IllegalArgumentException.class);
    }
}
