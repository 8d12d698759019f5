package io.belfry.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
    private static final KeySet KEYS = new KeySet(List.of(TryKey.values()), "TRY_", Set.of("TRY_JAVA_HOME"), "keys.md");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void whatIsNotWrittenHasItsDefault() {
        Settings settings = load("");

        assertThat(settings.sizeBytes(TryKey.SIZE)).isEqualTo(65_536);
        assertThat(settings.flag(TryKey.FLAG)).isFalse();
        assertThat(settings.text(TryKey.TOKEN)).isEmpty();
        assertThat(settings.list(TryKey.LIST)).isEmpty();
        assertThat(settings.isWritten(TryKey.SIZE)).isFalse();
        assertThat(settings.origin(TryKey.SIZE)).hasToString("default");
    }

    @Test
    void namesAreReadInAnyCase() {
        assertThat(load("MAXSIZE = 1 KB").sizeBytes(TryKey.SIZE)).isEqualTo(1024);
    }

    @Test
    void theEnvironmentOverridesTheFileAndSetOverridesBoth() throws IOException {
        Path file = write("MaxSize = 1\nA.Flag = true\nSpeed = 7\n");
        Settings settings = Settings.load(
                KEYS,
                Optional.of(file),
                Map.of("TRY_MAXSIZE", "2", "TRY_A_FLAG", "false"),
                List.of("maxsize=3", "MaxSize = 4"));

        assertThat(settings.sizeBytes(TryKey.SIZE)).isEqualTo(4);
        assertThat(settings.origin(TryKey.SIZE)).hasToString("--set");
        assertThat(settings.flag(TryKey.FLAG)).isFalse();
        assertThat(settings.origin(TryKey.FLAG)).hasToString("environment variable TRY_A_FLAG");
        assertThat(settings.whole(TryKey.SPEED)).isEqualTo(7);
        assertThat(settings.origin(TryKey.SPEED)).hasToString(file + ":3");
    }

    @Test
    void everyProblemIsReportedAtOnce() throws IOException {
        Path file = write("MaxSise = 1\nSpeed = fast\nA.Flag = maybe\n");

        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> Settings.load(
                        KEYS, Optional.of(file), Map.of("TRY_SPED", "1"), List.of("Speed=0", "A.Flag", "secret")))
                .satisfies(failure -> assertThat(failure.problems())
                        .extracting(Problem::toString)
                        .containsExactly(
                                file + ":1: MaxSise: unknown key; the nearest one is MaxSize",
                                file + ":2: Speed = fast: must be a whole number",
                                file + ":3: A.Flag = maybe: must be true or false",
                                "environment: TRY_SPED: sets no key; the nearest variable is TRY_SPEED",
                                "--set: Speed = 0: must be from 1 to 10",
                                "--set: A.Flag: must be written --set KEY=VALUE",
                                "--set: an argument: must be written --set KEY=VALUE"))
                .withMessageContaining(file + ":2: Speed = fast: must be a whole number\n");
    }

    @Test
    void aKeyLikeNoOtherGetsNoFarFetchedAdvice() throws IOException {
        Path file = write("Foo = 1\n");

        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> Settings.load(KEYS, Optional.of(file), Map.of("TRY_FOO", "1"), List.of()))
                .satisfies(failure -> assertThat(failure.problems())
                        .extracting(Problem::toString)
                        .containsExactly(
                                file + ":1: Foo: unknown key; keys.md has them all",
                                "environment: TRY_FOO: sets no key; keys.md has them all"));
    }

    @Test
    void aWrongValueInTheFileIsReportedEvenIfItIsOverridden() throws IOException {
        Path file = write("Speed = fast");

        assertThat(Settings.read(KEYS, Optional.of(file), Map.of(), List.of("Speed=3"))
                        .problems())
                .hasSize(1);
    }

    @Test
    void aSecretIsNeverShown() {
        Settings settings = read("Token = tok", "Token.Max = 1");

        assertThat(settings.lines(Map.of()))
                .noneMatch(line -> line.contains("tok"))
                .contains("Token = (hidden)  # " + folder.resolve("try.conf") + ":1");
        assertThat(settings.problem("Token", "is too short")).asString().doesNotContain("tok");
        assertThat(settings.entriesOf(TryKey.TOKEN)).asString().doesNotContain("tok");
        assertThat(read("Tokn = tok").problems()).asString().doesNotContain("tok");
    }

    @Test
    void anEmptyValueMeansNotSetWhereThereIsNoDefault() {
        assertThat(load("Token =\nList =").text(TryKey.TOKEN)).isEmpty();
        assertThat(Settings.load(KEYS, Optional.of(write("Token = a")), Map.of("TRY_TOKEN", ""), List.of())
                        .text(TryKey.TOKEN))
                .isEmpty();
        assertThat(read("MaxSize =").problems())
                .extracting(Problem::rule)
                .containsExactly("needs a value; without this line it is 64 KB");
    }

    @Test
    void variablesOfOthersAreLeftAlone() {
        Map<String, String> environment = Map.of(
                "TRY_JAVA_HOME", "/opt/jdk",
                "TRYING", "x",
                "TRY_SERVICE_HOST", "10.0.0.1",
                "TRY_SERVICE_PORT_HTTP", "8800",
                "TRY_PORT", "tcp://10.0.0.1:8800",
                "TRY_PORT_8800_TCP_ADDR", "10.0.0.1",
                "TRY_NODE_PORT_8800_TCP", "tcp://10.0.0.1:8800");

        assertThat(Settings.read(KEYS, Optional.empty(), environment, List.of()).problems())
                .isEmpty();
    }

    @Test
    void aPatternKeyTakesAnyLastPart() {
        Settings settings = Settings.load(
                KEYS,
                Optional.of(write("Group.Linger.ms = 1\ngroup.acks = all\n")),
                Map.of("TRY_GROUP_BATCH_SIZE", "64"),
                List.of());

        assertThat(settings.under(TryKey.GROUP))
                .containsExactly(Map.entry("Linger.ms", "1"), Map.entry("acks", "all"), Map.entry("batch.size", "64"));
        assertThat(read("Group. = 1").problems()).hasSize(1);
    }

    @Test
    void aFileThatCannotBeReadIsAProblem() throws IOException {
        Path missing = folder.resolve("missing.conf");
        Path binary = Files.write(folder.resolve("binary.conf"), new byte[] {(byte) 0xC3, (byte) 0x28});

        assertThat(Settings.read(KEYS, Optional.of(missing), Map.of(), List.of())
                        .problems())
                .containsExactly(new Problem(missing.toString(), "the configuration file", "there is no such file"));
        assertThat(Settings.read(KEYS, Optional.of(binary), Map.of(), List.of()).problems())
                .extracting(Problem::rule)
                .containsExactly("must be UTF-8 text");
        assertThat(Settings.read(KEYS, Optional.of(folder), Map.of(), List.of()).problems())
                .extracting(Problem::rule)
                .first()
                .asString()
                .startsWith("cannot be read");
    }

    @Test
    void aRecordThatRefusesItsValueIsLocatedLikeAnyOther() {
        Settings settings = load("Speed = 7");
        Problems problems = new Problems(settings);

        Optional<Integer> built = problems.attempt(() -> {
            throw new InvalidSetting("Speed", 7, "must be odd or so");
        });
        problems.add(TryKey.SIZE, "is too much");

        assertThat(built).isEmpty();
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(problems::throwIfAny)
                .withMessage(folder.resolve("try.conf") + ":1: Speed = 7: must be odd or so\n"
                        + "default: MaxSize = 64 KB: is too much");
    }

    @Test
    void theEffectiveLinesAreAFileAgain() throws IOException {
        Settings settings = load("Speed = 7\nList = /a{1..2},/b\nGroup.x = y");
        Path again = Files.writeString(
                folder.resolve("again.conf"), String.join("\n", settings.lines(Map.of())), StandardCharsets.UTF_8);
        Settings reread = Settings.load(KEYS, Optional.of(again), Map.of(), List.of());

        assertThat(TryKey.values()).allMatch(key -> settings.agreesWith(reread, key));
    }

    @Test
    void aResolvedValueIsShownWithWhatItIsWrittenAs() {
        assertThat(load("").lines(Map.of(TryKey.SIZE, "65536")).getFirst())
                .isEqualTo("MaxSize = 65536  # default (64 KB)");
    }

    @Test
    void settingsAgreeOnTheValueNotOnTheSpelling() {
        Settings one = load("MaxSize = 1 KB\nList = /a{1..2}");
        Settings other = load("MaxSize = 1024\nList = /a{1..3}");

        assertThat(one.agreesWith(other, TryKey.SIZE)).isTrue();
        assertThat(one.agreesWith(other, TryKey.LIST)).isFalse();
    }

    @Test
    void chosenValuesCanBeTakenFromOtherSettings() {
        Settings running = load("MaxSize = 1\nSpeed = 2\nToken = abc");
        Settings merged =
                running.with(load("MaxSize = 5\nSpeed = 6"), key -> key == TryKey.SPEED || key == TryKey.TOKEN);

        assertThat(merged.sizeBytes(TryKey.SIZE)).isEqualTo(1);
        assertThat(merged.number(TryKey.SPEED)).isEqualTo(6);
        assertThat(merged.text(TryKey.TOKEN)).isEmpty();
    }

    private Settings load(String... lines) {
        return Settings.load(KEYS, Optional.of(write(lines)), Map.of(), List.of());
    }

    private Settings read(String... lines) {
        return Settings.read(KEYS, Optional.of(write(lines)), Map.of(), List.of());
    }

    private Path write(String... lines) {
        try {
            return Files.writeString(folder.resolve("try.conf"), String.join("\n", lines));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
