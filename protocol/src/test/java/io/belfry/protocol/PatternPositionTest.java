package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PatternPositionTest {
    private final Random random = new Random(7);

    @Test
    void everyPositionIsReadFromItsText() {
        for (int length = 1; length <= PatternPosition.MAX_BYTES; length++) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            PatternPosition position = Objects.requireNonNull(PatternPosition.of(bytes));
            assertThat(position.toString()).hasSizeLessThanOrEqualTo(1024);
            assertThat(PatternPosition.parse(position.toString())).isEqualTo(position);
        }
    }

    @Test
    void emptyAndTooLongPositionsAreRejected() {
        byte[] tooLong = new byte[PatternPosition.MAX_BYTES + 1];
        assertThat(PatternPosition.of(new byte[0])).isNull();
        assertThat(PatternPosition.of(tooLong)).isNull();
        assertThat(PatternPosition.parse(Base64.getUrlEncoder().withoutPadding().encodeToString(tooLong)))
                .isNull();
    }

    @Test
    void otherTextsAreRejected() {
        for (String text : List.of("", "A", "AQ==", "AR", "AQI=", "AQ J", "AQ+/", "7:42", "AQI\n", "\u00e9AQ")) {
            assertThat(PatternPosition.parse(text)).as(text).isNull();
        }
    }
}
