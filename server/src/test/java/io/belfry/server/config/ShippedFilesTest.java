package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShippedFilesTest {
    @Test
    void theShippedBelfryConfSetsNothing() {
        assertThat(load(GeneratedFiles.CONFIGURATION.file())).isEqualTo(ServerConfig.defaults());
    }

    @Test
    void belfryConfHasEveryKeyCommentedOutWithItsDefault(@TempDir Path folder) throws IOException {
        String text = Files.readString(GeneratedFiles.CONFIGURATION.file());
        assertThat(ConfigKey.values()).allMatch(key -> text.contains("\n#" + key.keyName() + " ="));

        Path uncommented =
                Files.writeString(folder.resolve("all.conf"), text.replaceAll("(?m)^#(?=[A-Z][\\w.*]* =)", ""));
        EffectiveConfig all = ConfigLoader.effective(Optional.of(uncommented), Map.of(), List.of());
        EffectiveConfig defaults = ConfigLoader.effective(Optional.empty(), Map.of(), List.of());
        assertThat(ConfigDiff.between(defaults, all).isEmpty()).isTrue();
        assertThat(all.settings().isWritten(ConfigKey.LISTEN)).isTrue();
    }

    @Test
    void thePublishedBlocksOverLoopbackAreValid() {
        ServerConfig c12m = load(GeneratedFiles.repository("config/c12m-server.conf"));
        ServerConfig c10m = load(GeneratedFiles.repository("config/c10m-server.conf"));

        assertThat(c12m.history().keepsNothing()).isTrue();
        assertThat(c12m.monitor().jmx().address().loopback()).isTrue();
        assertThat(c10m.workgroups()).isEqualTo(new WorkgroupConfig(2, 4, true, true, true));
        assertThat(c10m.network().listen().nativeIo()).isEqualTo(ListenConfig.NativeIo.EPOLL);
    }

    private static ServerConfig load(Path file) {
        return ConfigLoader.load(Optional.of(file), Map.of(), List.of());
    }
}
