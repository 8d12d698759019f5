package io.belfry.attack.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class OtherProgramsTest {
    @Test
    void aBusyProgramIsCountedUnlessItIsTheServer() throws IOException, InterruptedException {
        Process busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        Process idle = new ProcessBuilder("sleep", "60").start();
        try {
            OtherPrograms besideIt = OtherPrograms.watch(idle.pid());
            OtherPrograms itself = OtherPrograms.watch(busy.pid());
            TimeUnit.SECONDS.sleep(1);
            double share = besideIt.share();
            assertThat(share).isPositive().isLessThanOrEqualTo(1);
            assertThat(itself.share()).isLessThan(share);
        } finally {
            busy.destroyForcibly().waitFor();
            idle.destroyForcibly().waitFor();
        }
    }

    @Test
    void anUnknownUseOfTheMachineCountsAsNone() {
        assertThat(new OtherPrograms(1, null, 0).share()).isZero();
    }
}
