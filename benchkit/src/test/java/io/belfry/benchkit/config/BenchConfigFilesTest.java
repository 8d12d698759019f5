package io.belfry.benchkit.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.settings.ConfTemplate;
import io.belfry.settings.KeySet;
import io.belfry.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files in config/ match the keys, and published files of other tools are accepted. */
class BenchConfigFilesTest {
    private static final Path CONFIG = Path.of("../config");

    @TempDir
    Path folder;

    @Test
    void theConfigFilesAreGeneratedFromTheKeys() throws IOException {
        compare("benchsub.conf", "subscribing", BenchKey.of("benchsub"));
        compare("benchpub.conf", "publishing", BenchKey.of("benchpub"));
    }

    /** With {@code -Dbelfry.generate=true}, writes the file instead. */
    private static void compare(String file, String kind, KeySet keys) throws IOException {
        String program = file.replace(".conf", "");
        String generated = ConfTemplate.of(
                "Configuration of bin/" + program + ", the " + kind + " load generator. Every key is listed with its"
                        + " default, commented out: remove the # before a key and change the value. docs/configuration.md"
                        + " defines the form of values. Environment variables begin with "
                        + program.toUpperCase(Locale.ROOT) + "_.",
                keys);
        if (Boolean.getBoolean("belfry.generate")) {
            Files.writeString(CONFIG.resolve(file), generated);
        }
        assertThat(CONFIG.resolve(file))
                .as("generate it with -Dbelfry.generate=true")
                .hasContent(generated);
    }

    @Test
    void aPublishedSubscriberFileIsAccepted() throws IOException {
        Settings settings = load(BenchKey.of("benchsub"), """
                Memory = 9000
                ServerAddresses = 192.168.3.115:8800
                Clients = 1200000                       # connections to open
                Subjects = /p/s{1..1200000}/-           # range syntax
                SubjectsPerClient = 1
                LocalAddresses = 127.0.{10..30}.101
                BufferSize = 1024
                OneToOne = true
                """);
        assertThat(settings.sizeBytes(BenchKey.MEMORY)).isEqualTo(9000L << 20);
        var options = new BenchOptions(settings).subscribers();
        assertThat(options.clients()).isEqualTo(1_200_000);
        assertThat(options.subjects().text(options.assignment().of(1_199_999)[0]))
                .isEqualTo("/p/s1200000/-");
        assertThat(options.target().sources().explicitPorts()).isTrue();
        assertThat(options.target().sources().next()).hasToString("/127.0.10.101:500");
        assertThat(options.target().sources().next()).hasToString("/127.0.11.101:500");
    }

    @Test
    void aPublishedPublisherFileIsAccepted() throws IOException {
        Settings settings = load(BenchKey.of("benchpub"), """
                Memory = 7700
                ServerAddresses = 192.168.3.115:8800
                PublisherType = p
                Subjects = /s{1..1500000}/-
                Frequency = 25000
                MessageSize = 512
                """);
        var options = new BenchOptions(settings).publishers();
        assertThat(options.subjects().size()).isEqualTo(1_500_000);
        assertThat(options.subjects().text(0)).isEqualTo("/p/s1/-");
        assertThat(options.perSecond()).isEqualTo(25_000);
        assertThat(options.messageSize()).isEqualTo(512);
    }

    private Settings load(KeySet keys, String text) throws IOException {
        Path file = Files.writeString(folder.resolve("bench.conf"), text);
        return Settings.load(keys, Optional.of(file), Map.of(), List.of());
    }
}
