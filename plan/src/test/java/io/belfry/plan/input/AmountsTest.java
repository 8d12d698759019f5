package io.belfry.plan.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AmountsTest {
    @Test
    void amountsAreReadAsPeopleWriteThem() {
        assertThat(Amounts.count("n", "60,000,000")).isEqualTo(60_000_000);
        assertThat(Amounts.count("n", "60M")).isEqualTo(60_000_000);
        assertThat(Amounts.count("n", "1e9")).isEqualTo(1_000_000_000);
        assertThat(Amounts.perSecond("n", "1/min")).isEqualTo(1 / 60.0);
        assertThat(Amounts.perSecond("n", "20k/s")).isEqualTo(20_000);
        assertThat(Amounts.perSecond("n", "0.5 / h")).isEqualTo(0.5 / 3600);
        assertThat(Amounts.perSecond("n", "0")).isZero();
        assertThat(Amounts.bytes("n", "64 KB")).isEqualTo(65_536);
        assertThat(Amounts.seconds("n", "500ms")).isEqualTo(0.5);
        assertThat(Amounts.seconds("n", "2m")).isEqualTo(120);
        assertThat(Amounts.bitsPerSecond("n", "25Gbit")).isEqualTo(25e9);
        assertThat(Amounts.bitsPerSecond("n", "10")).isEqualTo(10e9);
        assertThat(Amounts.share("n", "30%")).isEqualTo(0.3);
        assertThat(Amounts.share("n", "0.3")).isEqualTo(0.3);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "many", "-3", "0", "1.5", "1e13", "7 apples"})
    void whatIsNoCountIsRefusedWithItsCode(String text) {
        assertThatThrownBy(() -> Amounts.count("--clients", text))
                .isInstanceOfSatisfying(
                        Nonsense.class, wrong -> assertThat(wrong.trouble()).isEqualTo(Trouble.BAD_VALUE))
                .hasMessageContaining("--clients");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10", "1/", "1/ms", "/s", "x/s", "1/fortnight"})
    void whatIsNoRateIsRefused(String text) {
        assertThatThrownBy(() -> Amounts.perSecond("--rate", text)).isInstanceOf(Nonsense.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"101%", "2", "half"})
    void whatIsNoShareIsRefused(String text) {
        assertThatThrownBy(() -> Amounts.share("--tls", text)).isInstanceOf(Nonsense.class);
    }
}
