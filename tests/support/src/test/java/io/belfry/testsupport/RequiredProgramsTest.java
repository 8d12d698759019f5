package io.belfry.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RequiredProgramsTest {
    private static final String TOOLS = "belfry.tools";

    private final String before = System.getProperty(TOOLS, "skip");

    @AfterEach
    void restore() {
        System.setProperty(TOOLS, before);
    }

    @Test
    void theFirstInstalledProgramIsFound() {
        assertThat(RequiredPrograms.require("every machine has it", "no-such-program", "sh"))
                .endsWith("/sh");
    }

    @Test
    void aMissingProgramFailsWhereProgramsAreRequired() {
        System.setProperty(TOOLS, "required");
        assertThatThrownBy(() -> RequiredPrograms.require("apt install it", "no-such-program"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("no-such-program is not on PATH; to install it: apt install it");
    }
}
