package io.belfry.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ConfigOptionsTest {
    @TempDir
    private Path folder = Path.of("");

    private static ConfigOptions parsed(String... arguments) {
        ConfigOptions options = new ConfigOptions();
        CommandLine.populateCommand(options, arguments);
        return options;
    }

    @Test
    void secretsArePassedToAnotherProcessInItsEnvironment() {
        ConfigOptions options = parsed(
                "--set",
                "entitlementallowtoken = hush-hush",
                "--set",
                "CacheSize=5",
                "--set",
                "Custom.Password=hush",
                "--set",
                "MonitorPassword=");
        assertThat(options.arguments())
                .containsExactly("--set", "CacheSize=5", "--set", "Custom.Password=hush", "--set", "MonitorPassword=");
        assertThat(options.environment()).hasSize(1).containsEntry("BELFRY_ENTITLEMENTALLOWTOKEN", "hush-hush");
        assertThat(options.secretsInArguments())
                .containsExactly("entitlementallowtoken", "Custom.Password", "MonitorPassword");
    }

    @Test
    void aFileWithSecretsIsRecognized() throws IOException {
        Path without = Files.writeString(folder.resolve("without"), "CacheSize = 5\n");
        Path with = Files.writeString(folder.resolve("with"), "CacheSize = 5\nEntitlementAllowToken = hush-hush\n");
        ConfigOptions none = parsed("-c", without.toString(), "--set", "EntitlementAllowToken=hush-hush");
        ConfigOptions some = parsed("-c", with.toString());
        assertThat(none.fileWithSecrets(none.load())).isEmpty();
        assertThat(some.fileWithSecrets(some.load())).contains(with);
    }
}
