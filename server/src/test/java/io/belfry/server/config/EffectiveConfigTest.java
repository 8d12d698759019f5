package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.belfry.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EffectiveConfigTest {
    @Test
    void theLinesShowEveryEffectiveValueAndItsSource() {
        EffectiveConfig effective = ConfigLoader.effective(
                Optional.empty(),
                Map.of("BELFRY_ENTITLEMENTALLOWTOKEN", "hush-hush"),
                List.of("Workgroups=1", "IoThreads=2", "Memory=1024"));

        assertThat(effective.lines())
                .contains(
                        "Listen = *:8800  # default",
                        "ListenEncrypted =  # not set",
                        "Memory = 1024  # --set",
                        "Workgroups = 1  # --set",
                        "CacheMemory = 256 MB  # default (25 %)",
                        "EntitlementAllowToken = (hidden)  # environment variable BELFRY_ENTITLEMENTALLOWTOKEN")
                .noneMatch(line -> line.contains("hush"))
                .hasSize((int) Stream.of(ConfigKey.values())
                        .filter(key -> !key.pattern())
                        .count());
        assertThat(effective.toString()).doesNotContain("hush");
    }

    @Test
    void theNumberOfProcessorsIsShown() {
        int processors = ServerConfig.defaults().workgroups().ioThreads();

        assertThat(with().lines()).contains("IoThreads = " + processors + "  # default (processors)");
    }

    @Test
    void theLinesCanBeReadAsAConfiguration(@TempDir Path folder) throws IOException {
        EffectiveConfig effective = with("CacheSize=7", "Listen=127.0.0.1:{1..3}", "X.Echo=true");
        Path again = Files.writeString(folder.resolve("again.conf"), String.join("\n", effective.lines()));

        assertThat(ConfigLoader.effective(Optional.of(again), Map.of(), List.of())
                        .config()
                        .history())
                .isEqualTo(effective.config().history());
        assertThat(ConfigLoader.load(Optional.of(again), Map.of(), List.of())
                        .network()
                        .listen())
                .isEqualTo(effective.config().network().listen());
    }

    @Test
    void theDifferenceSeparatesReloadableKeys() {
        ConfigDiff diff = ConfigDiff.between(
                with("MaxMessageSize=64 KB", "Listen=*:1"),
                with("MaxMessageSize=65536", "Listen=*:2", "LogLevel=DEBUG", "Limit.PublishRate=5"));

        assertThat(diff.atOnce()).containsExactly(ConfigKey.LIMIT_PUBLISH_RATE, ConfigKey.LOG_LEVEL);
        assertThat(diff.atRestart()).containsExactly(ConfigKey.LISTEN);
        assertThat(ConfigDiff.between(with(), with("Memory=512")).isEmpty()).isTrue();
    }

    @Test
    void aReloadAppliesOnlyReloadableKeys() {
        EffectiveConfig running = with("CacheSize=5", "Limit.PublishRate=5", "EntitlementAllowToken=01234567");
        EffectiveConfig reloaded = running.reloadedWith(with("CacheSize=6", "LogLevel=WARN"));

        assertThat(reloaded.config().history().cacheSize()).isEqualTo(5);
        assertThat(reloaded.config().limits().publishRate()).isEqualTo(100_000);
        assertThat(reloaded.config().process().log().level()).isEqualTo("WARN");
        assertThat(reloaded.config().entitlement().allowToken()).isEmpty();
    }

    @Test
    void aReloadWithAnInvalidCombinationIsRefused() {
        EffectiveConfig running = with("MaxMessageSize=1 MB");
        EffectiveConfig next = with("MaxMessageSize=1 KB", "SlowConsumer.MaxBytes=2 KB");

        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> running.reloadedWith(next))
                .withMessageStartingWith("--set: SlowConsumer.MaxBytes = 2 KB: must not be less than MaxMessageSize");
    }

    private static EffectiveConfig with(String... sets) {
        return ConfigLoader.effective(Optional.empty(), Map.of(), List.of(sets));
    }
}
