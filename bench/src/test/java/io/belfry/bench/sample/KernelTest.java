package io.belfry.bench.sample;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KernelTest {
    @Test
    void cpuAndResidentPagesAreFoundWhateverTheProcessIsCalled() {
        String stat =
                "4242 (a) b (c) S 1 4242 4242 0 -1 4194560 1 0 0 0 150 50 0 0 20 0 40 0 100 999 1000 18446744073709551615 1";
        Kernel.ProcessUse use = Kernel.processUse(stat).orElseThrow();
        assertThat(use.cpuSeconds()).isEqualTo(2.0);
        assertThat(use.residentBytes()).isEqualTo(4_096_000);
    }

    @Test
    void waitingIsNotBusy() {
        assertThat(Kernel.machineBusySeconds("cpu  100 0 100 5000 700 0 50 50 0 0\ncpu0 1 1 1 1"))
                .hasValue(3.0);
    }

    @Test
    void theKernelCountsSocketMemoryInPages() {
        assertThat(Kernel.tcpBytes("sockets: used 12\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem 25\nUDP: inuse 0 mem 9"))
                .hasValue(25 * 4096);
    }

    @Test
    void theHardLimitCounts() {
        assertThat(Kernel.openFilesMax("Limit                     Soft Limit           Hard Limit           Units\n"
                        + "Max open files            1024                 20000                files"))
                .hasValue(20_000);
        assertThat(Kernel.openFilesMax("Max open files            unlimited unlimited files"))
                .isEmpty();
    }

    @Test
    void aProcessThatIsGoneHasNoFigures() {
        assertThat(Kernel.process(Long.MAX_VALUE)).isEmpty();
    }
}
