package io.belfry.plan.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnitTest {
    @Test
    void amountsWithUnitsAreParsed() {
        assertThat(Unit.COUNT.parse("n", "60,000,000")).isEqualTo(60_000_000);
        assertThat(Unit.COUNT.parse("n", "60M")).isEqualTo(60_000_000);
        assertThat(Unit.COUNT.parse("n", "1e9")).isEqualTo(1_000_000_000);
        assertThat(Unit.PER_SECOND.parse("n", "1/min")).isEqualTo(1 / 60.0);
        assertThat(Unit.PER_SECOND.parse("n", "20k/s")).isEqualTo(20_000);
        assertThat(Unit.PER_SECOND.parse("n", "0.5 / h")).isEqualTo(0.5 / 3600);
        assertThat(Unit.PER_SECOND.parse("n", "0")).isZero();
        assertThat(Unit.BYTES.parse("n", "64 KB")).isEqualTo(65_536);
        assertThat(Unit.SECONDS.parse("n", "500ms")).isEqualTo(0.5);
        assertThat(Unit.SECONDS.parse("n", "2m")).isEqualTo(120);
        assertThat(Unit.BITS_PER_SECOND.parse("n", "25Gbit")).isEqualTo(25e9);
        assertThat(Unit.BITS_PER_SECOND.parse("n", "10")).isEqualTo(10e9);
        assertThat(Unit.SHARE.parse("n", "30%")).isEqualTo(0.3);
        assertThat(Unit.SHARE.parse("n", "0.3")).isEqualTo(0.3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "many", "-3", "0", "1.5", "1e13", "7 apples"})
    void anInvalidCountIsRejectedWithItsCode(String text) {
        assertThatThrownBy(() -> Unit.COUNT.parse("--clients", text))
                .isInstanceOfSatisfying(
                        PlanError.class, error -> assertThat(error.code()).isEqualTo(PlanError.Code.BAD_VALUE))
                .hasMessageContaining("--clients");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "1/", "1/ms", "/s", "x/s", "1/fortnight"})
    void anInvalidRateIsRejected(String text) {
        assertThatThrownBy(() -> Unit.PER_SECOND.parse("--rate", text)).isInstanceOf(PlanError.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"101%", "2", "half"})
    void anInvalidShareIsRejected(String text) {
        assertThatThrownBy(() -> Unit.SHARE.parse("--tls", text)).isInstanceOf(PlanError.class);
    }
}
