package io.belfry.server.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TraceParentTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String VALID = "00-" + TRACE + "-" + SPAN + "-01";

    private static void isIgnored(String header) {
        assertThat(TraceParent.parse(header)).as(header).isNull();
    }

    @Test
    void theExampleOfTheSpecificationIsParsed() {
        assertThat(TraceParent.parse(VALID))
                .isEqualTo(new TraceParent(0x4bf92f3577b34da6L, 0xa3ce929d0e0e4736L, 0x00f067aa0ba902b7L, true));
    }

    @Test
    void onlyTheLastFlagSaysWhetherTheTraceIsSampled() {
        for (String flags : List.of("00", "02", "fe")) {
            assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-" + flags))
                    .isEqualTo(new TraceParent(0x4bf92f3577b34da6L, 0xa3ce929d0e0e4736L, 0x00f067aa0ba902b7L, false));
        }
        assertThat(TraceParent.parse("00-" + TRACE + "-" + SPAN + "-ff")).isEqualTo(TraceParent.parse(VALID));
    }

    @Test
    void everyTruncationIsIgnored() {
        for (int length = 0; length < VALID.length(); length++) {
            isIgnored(VALID.substring(0, length));
        }
    }

    @Test
    void furtherCharactersAreIgnoredInVersionZero() {
        isIgnored(VALID + "-");
        isIgnored(VALID + "-extra");
        isIgnored(VALID + "0");
        isIgnored(VALID + " ");
        isIgnored(" " + VALID);
    }

    @Test
    void upperCaseIsIgnored() {
        isIgnored("00-" + TRACE.replace('b', 'B') + "-" + SPAN + "-01");
        isIgnored("00-" + TRACE + "-" + SPAN.replace('a', 'A') + "-01");
        isIgnored("00-" + TRACE + "-" + SPAN + "-0A");
        isIgnored("0A-" + TRACE + "-" + SPAN + "-01");
    }

    @Test
    void idsOfZeroAreIgnored() {
        isIgnored("00-" + "0".repeat(32) + "-" + SPAN + "-01");
        isIgnored("00-" + TRACE + "-" + "0".repeat(16) + "-01");
    }

    @Test
    void halfOfATraceIdMayBeZero() {
        assertThat(TraceParent.parse("00-" + "0".repeat(31) + "1-" + SPAN + "-01"))
                .isEqualTo(new TraceParent(0, 1, 0x00f067aa0ba902b7L, true));
        assertThat(TraceParent.parse("00-1" + "0".repeat(31) + "-" + SPAN + "-01"))
                .isEqualTo(new TraceParent(0x1000000000000000L, 0, 0x00f067aa0ba902b7L, true));
    }

    @Test
    void versionFfIsIgnored() {
        isIgnored("ff-" + TRACE + "-" + SPAN + "-01");
        isIgnored("ff-" + TRACE + "-" + SPAN + "-01-extra");
    }

    @Test
    void aLaterVersionMayHaveFurtherFields() {
        assertThat(TraceParent.parse("01-" + TRACE + "-" + SPAN + "-01")).isEqualTo(TraceParent.parse(VALID));
        assertThat(TraceParent.parse("fe-" + TRACE + "-" + SPAN + "-01-what-follows"))
                .isEqualTo(TraceParent.parse(VALID));
        isIgnored("01-" + TRACE + "-" + SPAN + "-01extra");
        isIgnored("01-" + TRACE + "-" + SPAN + "-01, " + VALID);
    }

    @Test
    void everyOtherCharacterInTheFixedPartIsIgnored() {
        Random random = new Random(7);
        List<Integer> places = new ArrayList<>();
        for (int at = 0; at < VALID.length(); at++) {
            places.add(at);
        }
        for (int at : places) {
            for (char other :
                    new char[] {'g', '/', ':', '`', ' ', '\n', '\u0660', (char) (0x100 + random.nextInt(100))}) {
                isIgnored(VALID.substring(0, at) + other + VALID.substring(at + 1));
            }
        }
    }
}
