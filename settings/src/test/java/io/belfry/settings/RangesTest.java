package io.belfry.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;

class RangesTest {
    @Test
    void plainElementsAreThemselves() throws BadValue {
        assertThat(Ranges.parse("*:8800 , [::1]:8801")).containsExactly("*:8800", "[::1]:8801");
    }

    @Test
    void theRangesOfThePublishedConfigurationsAreUnderstood() throws BadValue {
        Ranges subjects = Ranges.parse("/p/s{1..1500000}/-");
        Ranges addresses = Ranges.parse("192.168.{10..30}.101");

        assertThat(subjects.size()).isEqualTo(1_500_000);
        assertThat(subjects.get(0)).isEqualTo("/p/s1/-");
        assertThat(subjects.get(1_499_999)).isEqualTo("/p/s1500000/-");
        assertThat(addresses).hasSize(21).startsWith("192.168.10.101").endsWith("192.168.30.101");
        assertThat(Ranges.parse("/x/{foo,bar}")).containsExactly("/x/foo", "/x/bar");
    }

    @Test
    void theLastOfSeveralBracesVariesFastest() throws BadValue {
        assertThat(Ranges.parse("/{a,b}/{1..3}")).containsExactly("/a/1", "/a/2", "/a/3", "/b/1", "/b/2", "/b/3");
    }

    @Test
    void elementsAndAlternativesCanBeMixed() throws BadValue {
        assertThat(Ranges.parse("/a, /b{1..2,7,x}, /c")).containsExactly("/a", "/b1", "/b2", "/b7", "/bx", "/c");
    }

    @Test
    void rangesCountDownAndKeepLeadingZeros() throws BadValue {
        assertThat(Ranges.parse("{3..1}")).containsExactly("3", "2", "1");
        assertThat(Ranges.parse("{-1..1}")).containsExactly("-1", "0", "1");
        assertThat(Ranges.parse("n{08..10}")).containsExactly("n08", "n09", "n10");
    }

    @Test
    void aRangeOfManyBillionsCostsNothing() throws BadValue {
        Ranges ranges = Ranges.parse("/{1..1000000}/{1..1000000}/{a,b}");

        assertThat(ranges.size()).isEqualTo(2_000_000_000_000L);
        assertThat(ranges.get(1_999_999_999_999L)).isEqualTo("/1000000/1000000/b");
    }

    @Test
    void oneBuilderCanBeReused() throws BadValue {
        StringBuilder text = new StringBuilder("/p");
        Ranges.parse("/s{1..10}").appendTo(text, 4);

        assertThat(text).hasToString("/p/s5");
    }

    @Test
    void anIndexBeyondTheSizeIsRefused() throws BadValue {
        Ranges ranges = Ranges.parse("{1..3},x");

        assertThat(ranges.get(3)).isEqualTo("x");
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> ranges.get(4));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> ranges.get(-1));
    }

    @Test
    void brokenRangesAreRefusedWithTheReason() {
        assertRefused("/a,,/b", "has an empty element");
        assertRefused("/a,", "has an empty element");
        assertRefused("/{1..3", "has a { without a }");
        assertRefused("/1..3}", "has a } without a {");
        assertRefused("/{1..{2,3}}", "has a { inside a {");
        assertRefused("/{}", "has an empty alternative in { }");
        assertRefused("/{a,}", "has an empty alternative in { }");
        assertRefused("/{a..z}", "has a range whose ends are not numbers; write {1..10}");
        assertRefused("{1..999999999999999}{1..999999999999999}", "stands for more elements than can be counted");
    }

    private static void assertRefused(String text, String rule) {
        assertThatExceptionOfType(BadValue.class)
                .isThrownBy(() -> Ranges.parse(text))
                .withMessage(rule);
    }
}
