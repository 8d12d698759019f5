package io.belfry.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class PositionTest {
    @Test
    void aPositionIsParsedFromItsText() {
        for (String text : new String[] {"0:0", "7:42", "9007199254740992:9007199254740992"}) {
            assertThat(Position.parse(text)).hasToString(text);
        }
    }

    @Test
    void otherTextsAreNotPositions() {
        for (String text : new String[] {
            "",
            ":",
            "7",
            "7:",
            ":7",
            "7:-1",
            "+7:1",
            " 7:1",
            "7:1 ",
            "7:1:2",
            "a:1",
            "9007199254740993:1",
            "1:9007199254740993",
            "1:99999999999999999999",
            "٧:٤٢"
        }) {
            assertThat(Position.parse(text)).as(text).isNull();
        }
    }

    @Test
    void aPositionOutOfRangeCannotBeCreated() {
        assertThatThrownBy(() -> new Position(-1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Position(0, Position.MAX + 1)).hasMessageContaining("2^53");
    }
}
