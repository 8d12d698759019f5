package io.belfry.plan.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FormulaTest {
    private static Formula of(String name, double amount) {
        return Formula.of(name, amount, Unit.COUNT);
    }

    @Test
    void parenthesesFollowTheOrderOfOperations() {
        Formula value =
                of("a", 2).plus(of("b", 3)).times(of("c", 4)).over(of("d", 5).times(of("e", 2)));
        assertThat(value.amount()).isEqualTo(2);
        assertThat(value.names()).isEqualTo("(a + b) x c / (d x e)");
        assertThat(value.numbers()).isEqualTo("(2 + 3) x 4 / (5 x 2)");
        assertThat(of("a", 9).minus(of("b", 3).plus(of("c", 1))).names()).isEqualTo("a - (b + c)");
        assertThat(of("a", 9).minus(of("b", 3).plus(of("c", 1))).amount()).isEqualTo(5);
        assertThat(of("a", 9).over(of("b", 3)).over(of("c", 3)).names()).isEqualTo("a / b / c");
    }

    @Test
    void boundsAreShownAsFunctions() {
        Formula value = of("a", 2).plus(of("b", 3)).atMost(of("c", 4)).times(of("d", 2));
        assertThat(value.amount()).isEqualTo(8);
        assertThat(value.names()).isEqualTo("least(a + b, c) x d");
        assertThat(of("a", 2).atLeast(of("c", 4)).amount()).isEqualTo(4);
    }

    @Test
    void amountsAreShownWithTheirUnits() {
        assertThat(Unit.BYTES.show(0x1p31)).isEqualTo("2 GB");
        assertThat(Unit.BYTES.show(1.5 * 0x1p20)).isEqualTo("1.50 MB");
        assertThat(Unit.BYTES.show(512)).isEqualTo("512 B");
        assertThat(Unit.BITS_PER_SECOND.show(12.34e9)).isEqualTo("12.3 Gbit/s");
        assertThat(Unit.CORES.show(0.0001)).isEqualTo("<0.001 cores");
        assertThat(Unit.SHARE.show(0.55)).isEqualTo("55%");
        assertThat(Unit.PER_SECOND.show(1 / 60.0)).isEqualTo("0.0167/s");
        assertThat(Unit.COUNT.show(60_000_000)).isEqualTo("60,000,000");
    }
}
