package io.belfry.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenPartsTest {
    private final List<String> closed = new ArrayList<>();
    private final OpenParts parts = new OpenParts();

    @Test
    void partsAreClosedOnceAndInReverseOrder() {
        for (String name : List.of("first", "second", "third")) {
            parts.add(name, () -> closed.add(name));
        }
        parts.close();
        parts.close();
        assertThat(closed).containsExactly("third", "second", "first");
    }

    @Test
    void aPartThatFailsKeepsNoOtherOpen() {
        parts.add("first", () -> closed.add("first"));
        parts.add("second", () -> {
            throw new IllegalStateException("a fault of a test");
        });
        parts.close();
        assertThat(closed).containsExactly("first");
    }
}
