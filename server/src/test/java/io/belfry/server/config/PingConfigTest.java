package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.belfry.settings.InvalidSetting;
import io.belfry.settings.SettingsException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PingConfigTest {
    private static PingConfig load(String... settings) {
        return ConfigLoader.load(Optional.empty(), Map.of(), List.of(settings))
                .limits()
                .pings();
    }

    @Test
    void aRequestBetweenTheBoundsIsNotChanged() {
        PingConfig pings = load();
        assertThat(pings.within(10_000)).isEqualTo(10_000);
        assertThat(pings.within(300_000)).isEqualTo(300_000);
        assertThat(pings.within(86_400_000)).isEqualTo(86_400_000);
    }

    @Test
    void aRequestBeyondABoundGetsTheBound() {
        PingConfig pings = load("PingInterval.Min=20 s", "PingInterval.Max=1 h");
        assertThat(pings.within(1)).isEqualTo(20_000);
        assertThat(pings.within(19_999)).isEqualTo(20_000);
        assertThat(pings.within(3_600_001)).isEqualTo(3_600_000);
        assertThat(pings.within(0xffff_ffffL)).isEqualTo(3_600_000);
    }

    @Test
    void aShortPingIntervalAloneLowersTheDefaultMinimum() {
        assertThat(load("PingInterval=1 s")).isEqualTo(new PingConfig(1_000, 1_000, 86_400_000));
        assertThat(load("PingInterval=1 h")).isEqualTo(new PingConfig(3_600_000, 10_000, 86_400_000));
    }

    @Test
    void boundsThatExcludePingIntervalAreRefused() {
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> load("PingInterval.Min=30 s"))
                .withMessageContaining("PingInterval.Min")
                .withMessageContaining("must be from 100 ms to PingInterval, 25 s");
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> load("PingInterval=10 m", "PingInterval.Max=5 m"))
                .withMessageContaining("must be from PingInterval, 600 s, to 24 h");
        assertThatExceptionOfType(InvalidSetting.class).isThrownBy(() -> new PingConfig(25_000, 10_000, 86_400_001));
        assertThatExceptionOfType(InvalidSetting.class).isThrownBy(() -> new PingConfig(25_000, 99, 86_400_000));
    }
}
