package io.belfry.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PropertiesTextTest {
    @Test
    void entriesComeInOrderWithTheirLines() {
        PropertiesText text = PropertiesText.parse("a.conf", "Memory = 1 GB\n\nListen=*:8800\r\n  Clients   =   3  \n");

        assertThat(text.problems()).isEmpty();
        assertThat(text.entries())
                .containsExactly(entry("Memory", "1 GB", 1), entry("Listen", "*:8800", 3), entry("Clients", "3", 4));
    }

    @Test
    void aCommentBeginsALineOrFollowsWhiteSpace() {
        assertThat(values("# Memory = 1\n   # Clients = 2\nMemory = 9000   # heap # of it\nToken = a#b\nX = #none\n"))
                .containsExactly("9000", "a#b", "");
    }

    @Test
    void aTrailingBackslashContinuesTheValue() {
        assertThat(values(
                        "Listen = *:8800, \\\n         *:8801, \\   # the second\n  # *:8802, \\\n  *:8803\nNext = 1"))
                .containsExactly("*:8800, *:8801, *:8803", "1");
    }

    @Test
    void anEmptyLineEndsAContinuedValue() {
        assertThat(values("Listen = *:8800,\\\n\nMemory = 1")).containsExactly("*:8800,", "1");
        assertThat(values("Listen = *:8800,\\")).containsExactly("*:8800,");
    }

    @Test
    void aContinuedCommentIsStillOnlyAComment() {
        assertThat(values("# Listen = \\\nMemory = 1")).containsExactly("1");
    }

    @Test
    void aContinuedEntryHasTheLineItBeginsIn() {
        PropertiesText text = PropertiesText.parse("a.conf", "Listen = \\\n a \\\n b\nMemory = 1");

        assertThat(text.entries()).containsExactly(entry("Listen", "a b", 1), entry("Memory", "1", 4));
    }

    @Test
    void onlyTheFirstEqualsSignSeparates() {
        assertThat(values("Token = abc==")).containsExactly("abc==");
    }

    @Test
    void aByteOrderMarkIsNoPartOfTheFirstName() {
        assertThat(PropertiesText.parse("a.conf", "\uFEFFMemory = 1").entries())
                .containsExactly(entry("Memory", "1", 1));
    }

    @Test
    void aDuplicateKeyNamesBothLines() {
        PropertiesText text = PropertiesText.parse("a.conf", "Memory = 1\n\nMEMORY = 2\n");

        assertThat(text.entries()).containsExactly(entry("Memory", "1", 1));
        assertThat(text.problems())
                .extracting(Problem::toString)
                .containsExactly("a.conf:3: MEMORY: already set at a.conf:1; keep one of the two");
    }

    @Test
    void aLineWithoutANameIsAProblemThatDoesNotShowItsText() {
        PropertiesText text = PropertiesText.parse("a.conf", "hunter2\n= 3\n");

        assertThat(text.entries()).isEmpty();
        assertThat(text.problems())
                .extracting(Problem::toString)
                .containsExactly(
                        "a.conf:1: this line: must be written Name = value",
                        "a.conf:2: this line: must be written Name = value");
    }

    private static Entry entry(String name, String value, int line) {
        return new Entry(name, value, new Origin.FileLine("a.conf", line));
    }

    private static List<String> values(String text) {
        PropertiesText parsed = PropertiesText.parse("a.conf", text);
        assertThat(parsed.problems()).isEmpty();
        return parsed.entries().stream().map(Entry::value).toList();
    }
}
