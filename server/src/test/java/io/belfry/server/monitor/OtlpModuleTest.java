package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The module is not on the class path of this module's tests. */
class OtlpModuleTest {
    @Test
    void aMissingModuleIsNamedWithItsRemedy() {
        assertThatThrownBy(OtlpModule::find)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "Otlp.Endpoint: the module belfry-otlp is not on the class path; build it with ");
    }
}
