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
    private static final KeySet KEYS =
            new KeySet(List.of(SampleKey.values()), "TRY_", Set.of("TRY_JAVA_HOME"), "keys.md");

    @TempDir
    private Path folder = Path.of("");

    @Test
    void aKeyThatIsNotSetHasItsDefault() {
        Settings settings = load("");

        assertThat(settings.sizeBytes(SampleKey.SIZE)).isEqualTo(65_536);
        assertThat(settings.flag(SampleKey.FLAG)).isFalse();
        assertThat(settings.text(SampleKey.TOKEN)).isEmpty();
        assertThat(settings.list(SampleKey.LIST)).isEmpty();
        assertThat(settings.isWritten(SampleKey.SIZE)).isFalse();
        assertThat(settings.origin(SampleKey.SIZE)).hasToString("default");
    }

    @Test
    void namesAreReadInAnyCase() {
        assertThat(load("MAXSIZE = 1 KB").sizeBytes(SampleKey.SIZE)).isEqualTo(1024);
    }

    @Test
    void theEnvironmentOverridesTheFileAndSetOverridesBoth() throws IOException {
        Path file = write("MaxSize = 1\nA.Flag = true\nSpeed = 7\n");
        Settings settings = Settings.load(
                KEYS,
                Optional.of(file),
                Map.of("TRY_MAXSIZE", "2", "TRY_A_FLAG", "false"),
                List.of("maxsize=3", "MaxSize = 4"));

        assertThat(settings.sizeBytes(SampleKey.SIZE)).isEqualTo(4);
        assertThat(settings.origin(SampleKey.SIZE)).hasToString("--set");
        assertThat(settings.flag(SampleKey.FLAG)).isFalse();
        assertThat(settings.origin(SampleKey.FLAG)).hasToString("environment variable TRY_A_FLAG");
        assertThat(settings.whole(SampleKey.SPEED)).isEqualTo(7);
        assertThat(settings.origin(SampleKey.SPEED)).hasToString(file + ":3");
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
                                file + ":1: MaxSise: unknown key; the most similar key is MaxSize",
                                file + ":2: Speed = fast: must be a whole number",
                                file + ":3: A.Flag = maybe: must be true or false",
                                "environment: TRY_SPED: no key belongs to this variable; the most similar variable is TRY_SPEED",
                                "--set: Speed = 0: must be from 1 to 10",
                                "--set: A.Flag: must be written --set KEY=VALUE",
                                "--set: an argument: must be written --set KEY=VALUE"))
                .withMessageContaining(file + ":2: Speed = fast: must be a whole number\n");
    }

    @Test
    void anUnknownKeyGetsNoSuggestionIfNoneIsSimilar() throws IOException {
        Path file = write("Foo = 1\n");

        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> Settings.load(KEYS, Optional.of(file), Map.of("TRY_FOO", "1"), List.of()))
                .satisfies(failure -> assertThat(failure.problems())
                        .extracting(Problem::toString)
                        .containsExactly(
                                file + ":1: Foo: unknown key; keys.md lists all keys",
                                "environment: TRY_FOO: no key belongs to this variable; keys.md lists all keys"));
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
        assertThat(settings.entriesOf(SampleKey.TOKEN)).asString().doesNotContain("tok");
        assertThat(read("Tokn = tok").problems()).asString().doesNotContain("tok");
    }

    @Test
    void anEmptyValueMeansNotSetWhereThereIsNoDefault() {
        assertThat(load("Token =\nList =").text(SampleKey.TOKEN)).isEmpty();
        assertThat(Settings.load(KEYS, Optional.of(write("Token = a")), Map.of("TRY_TOKEN", ""), List.of())
                        .text(SampleKey.TOKEN))
                .isEmpty();
        assertThat(read("MaxSize =").problems())
                .extracting(Problem::rule)
                .containsExactly("needs a value; without this line the value is 64 KB");
    }

    @Test
    void unrelatedEnvironmentVariablesAreIgnored() {
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
    void aPatternKeyMatchesAnyLastPart() {
        Settings settings = Settings.load(
                KEYS,
                Optional.of(write("Group.Linger.ms = 1\ngroup.acks = all\n")),
                Map.of("TRY_GROUP_BATCH_SIZE", "64"),
                List.of());

        assertThat(settings.under(SampleKey.GROUP))
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
    void aValueRefusedByARecordIsReportedWithItsSource() {
        Settings settings = load("Speed = 7");
        Problems problems = new Problems(settings);

        Optional<Integer> built = problems.attempt(() -> {
            throw new InvalidSetting("Speed", 7, "must be odd or so");
        });
        problems.add(SampleKey.SIZE, "is too much");

        assertThat(built).isEmpty();
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(problems::throwIfAny)
                .withMessage(folder.resolve("try.conf") + ":1: Speed = 7: must be odd or so\n"
                        + "default: MaxSize = 64 KB: is too much");
    }

    @Test
    void theEffectiveSettingsCanBeReadAsAFile() throws IOException {
        Settings settings = load("Speed = 7\nList = /a{1..2},/b\nGroup.x = y");
        Path again = Files.writeString(
                folder.resolve("again.conf"), String.join("\n", settings.lines(Map.of())), StandardCharsets.UTF_8);
        Settings reread = Settings.load(KEYS, Optional.of(again), Map.of(), List.of());

        assertThat(SampleKey.values()).allMatch(key -> settings.agreesWith(reread, key));
    }

    @Test
    void aResolvedValueIsShownWithWhatItIsWrittenAs() {
        assertThat(load("").lines(Map.of(SampleKey.SIZE, "65536")).getFirst())
                .isEqualTo("MaxSize = 65536  # default (64 KB)");
    }

    @Test
    void settingsAgreeOnTheValueNotOnTheSpelling() {
        Settings one = load("MaxSize = 1 KB\nList = /a{1..2}");
        Settings other = load("MaxSize = 1024\nList = /a{1..3}");

        assertThat(one.agreesWith(other, SampleKey.SIZE)).isTrue();
        assertThat(one.agreesWith(other, SampleKey.LIST)).isFalse();
    }

    @Test
    void chosenValuesCanBeTakenFromOtherSettings() {
        Settings running = load("MaxSize = 1\nSpeed = 2\nToken = abc");
        Settings merged =
                running.with(load("MaxSize = 5\nSpeed = 6"), key -> key == SampleKey.SPEED || key == SampleKey.TOKEN);

        assertThat(merged.sizeBytes(SampleKey.SIZE)).isEqualTo(1);
        assertThat(merged.number(SampleKey.SPEED)).isEqualTo(6);
        assertThat(merged.text(SampleKey.TOKEN)).isEmpty();
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
