package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.belfry.server.config.SecretFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PasswordSourceTest {
    @TempDir
    Path folder;

    @Test
    void aGeneratedPasswordIsWrittenOnceToAPrivateFile() throws Exception {
        Path state = folder.resolve("not/yet/there");
        Path file = state.resolve("monitor.password");

        try (LogCapture log = new LogCapture(PasswordSource.class.getName())) {
            PasswordSource.credentials(Fixtures.httpWithPassword(Optional.empty(), Optional.empty()), state);
            String password = Files.readString(file).strip();

            assertThat(password).hasSize(32);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains(file.toString())
                    .doesNotContain(password);
            Credentials again =
                    PasswordSource.credentials(Fixtures.httpWithPassword(Optional.empty(), Optional.empty()), state);
            assertThat(again.accept(Fixtures.USER, password, "test")).isTrue();
            assertThat(Files.readString(file).strip()).isEqualTo(password);
        }
        try (Stream<Path> files = Files.list(state)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void twoServersGenerateDifferentPasswords() throws Exception {
        String first = generatedIn(folder.resolve("a"));

        assertThat(generatedIn(folder.resolve("b"))).isNotEqualTo(first);
    }

    @Test
    void aPasswordFileReadableByOthersCausesAWarning() throws Exception {
        Path file = Files.writeString(folder.resolve("given"), "from the file\nsecond line\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

        try (LogCapture log = new LogCapture(SecretFiles.class.getName())) {
            Credentials credentials = fromFile(file);

            assertThat(credentials.accept(Fixtures.USER, "from the file", "test"))
                    .isTrue();
            assertThat(log.events())
                    .extracting(ILoggingEvent::getLevel, ILoggingEvent::getFormattedMessage)
                    .containsExactly(tuple(
                            Level.WARN,
                            "users other than the owner can read the monitor's password file " + file
                                    + "; run: chmod 600 " + file));
        }
    }

    @Test
    void aPrivatePasswordFileCausesNoWarning() throws Exception {
        Path file = Files.writeString(folder.resolve("given"), "quiet");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r--------"));

        try (LogCapture log = new LogCapture(SecretFiles.class.getName())) {
            assertThat(fromFile(file).accept(Fixtures.USER, "quiet", "test")).isTrue();
            assertThat(log.messages()).isEmpty();
        }
    }

    @Test
    void anEmptyOrMissingFileIsReportedByName() throws Exception {
        Path empty = Files.writeString(folder.resolve("empty"), "\n");

        for (Path file : List.of(empty, folder.resolve("missing"))) {
            assertThatThrownBy(() -> fromFile(file))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file.toString());
        }
    }

    @Test
    void wrongCredentialsAreCountedAndLoggedOnce() throws Exception {
        Credentials credentials = PasswordSource.credentials(Fixtures.http(), folder);

        try (LogCapture log = new LogCapture(Credentials.class.getName())) {
            assertThat(credentials.accept(Fixtures.USER, Fixtures.PASSWORD, "here"))
                    .isTrue();
            assertThat(credentials.accept(Fixtures.USER, "", "here")).isFalse();
            assertThat(credentials.accept("", Fixtures.PASSWORD, "there")).isFalse();
            assertThat(credentials.denied()).isEqualTo(2);
            assertThat(log.messages())
                    .singleElement()
                    .asString()
                    .contains("here")
                    .doesNotContain(Fixtures.PASSWORD);
        }
    }

    private static Credentials fromFile(Path file) throws IOException {
        return PasswordSource.credentials(
                Fixtures.httpWithPassword(Optional.empty(), Optional.of(file)), Path.of("unused"));
    }

    private static String generatedIn(Path state) throws IOException {
        PasswordSource.credentials(Fixtures.httpWithPassword(Optional.empty(), Optional.empty()), state);
        return Files.readString(state.resolve("monitor.password"));
    }
}
