package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HistoryWindowTest {
    private static ServerConfig with(String... sets) {
        return ConfigLoader.load(Optional.empty(), Map.of(), List.of(sets));
    }

    @Test
    void memoryKeepsThreeMinutesAndLosesThemAtARestart() {
        assertThat(HistoryWindow.sentence(with()))
                .isEqualTo("history window: the last 1,000 messages of each subject, not older than 180 s, within"
                        + " 128 MB of memory for all subjects (CacheMemory); a restart loses them");
    }

    @Test
    void diskKeepsMessagesOfAnyAgeByDefault() {
        assertThat(HistoryWindow.sentence(with("History=disk")))
                .isEqualTo("history window: the last 1,000 messages of each subject, of any age, within"
                        + " 4 GB of disk for all subjects (History.DiskBytes); a restart keeps them");
        assertThat(with("History=disk").history().expires()).isFalse();
    }

    @Test
    void aConfiguredExpiryAppliesOnDiskToo() {
        assertThat(HistoryWindow.sentence(with("History=disk", "CacheExpireTime=180 s")))
                .contains("not older than 180 s");
        assertThat(with("History=disk", "CacheExpireTime=1500 ms").history().cacheExpireMillis())
                .isEqualTo(1500);
        assertThat(with("CacheExpireTime=0").history().expires()).isFalse();
    }

    @Test
    void aClusterReadsItsWindowFromKafka() {
        assertThat(HistoryWindow.sentence(with("ClusterEngine=kafka", "Kafka.Brokers=a:1")))
                .contains("not older than 180 s", "a start reads them again from belfry.messages");
    }

    @Test
    void withoutACacheThereIsNoWindow() {
        assertThat(HistoryWindow.sentence(with("CacheSize=0"))).contains("none, because CacheSize is 0");
    }

    /** The lines that {@code check} prints show the effective values. */
    @Test
    void theEffectiveLinesShowThatDiskDoesNotExpire() {
        assertThat(ConfigLoader.effective(Optional.empty(), Map.of(), List.of("History=disk"))
                        .lines())
                .anyMatch(line -> line.startsWith("CacheExpireTime = 0  # default"));
        assertThat(ConfigLoader.effective(Optional.empty(), Map.of(), List.of()).lines())
                .contains("CacheExpireTime = 180 s  # default");
    }
}
