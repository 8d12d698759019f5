package io.belfry.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ValueTypeTest {
    private static final ValueType<Long> SIZE = ValueType.size(SizeUnit.B, 0, Long.MAX_VALUE);
    private static final ValueType<Long> MEMORY = ValueType.size(SizeUnit.MB, 32 << 20, Long.MAX_VALUE);
    private static final ValueType<Long> TIME = ValueType.time(TimeScale.S, 1, 3_600_000);

    @Test
    void aSizeTakesItsUnitWithOrWithoutSpaceInAnyCase() throws BadValue {
        assertThat(SIZE.parse("800")).isEqualTo(800);
        assertThat(SIZE.parse("800B")).isEqualTo(800);
        assertThat(SIZE.parse("64 KB")).isEqualTo(65_536);
        assertThat(SIZE.parse("64kb")).isEqualTo(65_536);
        assertThat(SIZE.parse("55296 MB")).isEqualTo(55_296L << 20);
        assertThat(SIZE.parse("2\tGB")).isEqualTo(2L << 30);
    }

    @Test
    void aBareNumberCountsInTheUnitOfItsKey() throws BadValue {
        assertThat(MEMORY.parse("9000")).isEqualTo(9000L << 20);
        assertThat(TIME.parse("180")).isEqualTo(180_000);
        assertThat(ValueType.time(TimeScale.MS, 0, 1000).parse("180")).isEqualTo(180);
    }

    @Test
    void aTimeTakesMillisecondsSecondsMinutesAndHours() throws BadValue {
        assertThat(TIME.parse("500 ms")).isEqualTo(500);
        assertThat(TIME.parse("60s")).isEqualTo(60_000);
        assertThat(TIME.parse("3 M")).isEqualTo(180_000);
        assertThat(TIME.parse("1h")).isEqualTo(3_600_000);
    }

    @Test
    void aMalformedQuantityIsRefusedWithItsFormat() {
        for (String text :
                new String[] {"-1", "1.5 GB", "GB", "1 XB", "1 s", "1 2", "99999999999999999999", "9000000000 TB"}) {
            assertRefused(SIZE, text, "must be a whole number with B, KB, MB, GB or TB");
        }
        for (String text : new String[] {"-1", "soon", "1 d", "1 KB"}) {
            assertRefused(TIME, text, "must be a whole number with ms, s, m or h");
        }
    }

    @Test
    void aValueOutOfBoundsIsRefusedWithTheBounds() {
        assertRefused(MEMORY, "1", "must be 32 MB or more");
        assertRefused(TIME, "2 h", "must be from 1 ms to 3600 s");
        assertRefused(ValueType.number(1, 64), "65", "must be from 1 to 64");
        assertRefused(ValueType.number(0, Long.MAX_VALUE), "-1", "must be 0 or more");
        assertRefused(ValueType.number(0, Integer.MAX_VALUE), "3000000000", "must be from 0 to 2147483647");
        assertRefused(ValueType.number(1, 64), "many", "must be a whole number");
    }

    @Test
    void aWordCanReplaceANumber() throws BadValue {
        ValueType<?> threads = ValueType.numberOr("processors", 1, 64);

        assertThat(threads.parse("Processors")).hasToString("OptionalLong.empty");
        assertThat(threads.parse("20")).hasToString("OptionalLong[20]");
        assertRefused(threads, "0", "must be from 1 to 64, or processors");
    }

    @Test
    void aShareIsBytesOrAPercentage() throws BadValue {
        assertThat(ValueType.share().parse("25 %").of(1000)).isEqualTo(250);
        assertThat(ValueType.share().parse("100%").of(12_345)).isEqualTo(12_345);
        assertThat(ValueType.share().parse("1 KB").of(5)).isEqualTo(1024);
        assertRefused(
                ValueType.share(), "101 %", "must be a whole number with B, KB, MB, GB or TB, or with % from 0 to 100");
    }

    @Test
    void aFlagIsWrittenInAnyOfTheUsualWays() throws BadValue {
        assertThat(ValueType.flag().parse("TRUE")).isTrue();
        assertThat(ValueType.flag().parse("on")).isTrue();
        assertThat(ValueType.flag().parse("no")).isFalse();
        assertRefused(ValueType.flag(), "1", "must be true or false");
    }

    @Test
    void aChoiceIsReadInAnyCaseAndSpeltAsDeclared() throws BadValue {
        ValueType<String> choice = ValueType.choice("None", "Basic");

        assertThat(choice.parse("BASIC")).isEqualTo("Basic");
        assertRefused(choice, "Simple", "must be one of None, Basic");
    }

    @Test
    void aPathMustBeOne() throws BadValue {
        assertThat(ValueType.path().parse("data/a")).isEqualTo(Path.of("data", "a"));
        assertRefused(ValueType.path(), "a\0b", "not a path: Nul character not allowed");
    }

    @Test
    void quantitiesAreWrittenInTheirLargestWholeUnit() {
        assertThat(SizeUnit.write(0)).isEqualTo("0");
        assertThat(SizeUnit.write(8000)).isEqualTo("8000");
        assertThat(SizeUnit.write(65_536)).isEqualTo("64 KB");
        assertThat(SizeUnit.write(1L << 30)).isEqualTo("1 GB");
        assertThat(TimeScale.write(1500)).isEqualTo("1500 ms");
        assertThat(TimeScale.write(180_000)).isEqualTo("180 s");
    }

    private static void assertRefused(ValueType<?> type, String text, String rule) {
        assertThatExceptionOfType(BadValue.class)
                .isThrownBy(() -> type.parse(text))
                .withMessage(rule);
    }
}
