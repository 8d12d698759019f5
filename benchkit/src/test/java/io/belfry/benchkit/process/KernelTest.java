package io.belfry.benchkit.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelTest {
    @Test
    void cpuAndResidentMemoryOfAProcessAreFoundForAnyProcessName(@TempDir Path folder) throws IOException {
        Path program = Files.copy(Path.of("/bin/sleep"), folder.resolve("a) b (c"));
        Process process = new ProcessBuilder(program.toString(), "60").start();
        try {
            Kernel.ProcessUse use = Objects.requireNonNull(Kernel.process(process.pid()));
            assertThat(use.cpuSeconds()).isBetween(0.0, 1.0);
            assertThat(use.residentBytes()).isBetween(1L << 12, 64L << 20);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void cpuTimeIsInSeconds() {
        Kernel.ProcessUse use =
                Objects.requireNonNull(Kernel.process(ProcessHandle.current().pid()));
        double cpuSeconds =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime() / 1e9;
        assertThat(use.cpuSeconds()).isCloseTo(cpuSeconds, within(0.5));
    }

    @Test
    void processesOnOneProcessorWaitForIt() throws IOException, InterruptedException {
        Process first = busyOnOneProcessor();
        Process second = busyOnOneProcessor();
        try {
            while (waitSeconds(first) < 0.1 || waitSeconds(second) < 0.1) {
                Thread.sleep(20);
            }
        } finally {
            first.destroyForcibly();
            second.destroyForcibly();
        }
    }

    private static Process busyOnOneProcessor() throws IOException {
        String status = Kernel.read("/proc/self/status").orElseThrow();
        String first = Kernel.found(status, "Cpus_allowed_list:\\s*(\\d+)").orElseThrow();
        return new ProcessBuilder("taskset", "-c", first, "sh", "-c", "while :; do :; done").start();
    }

    private static double waitSeconds(Process process) {
        Kernel.ProcessUse use = Objects.requireNonNull(Kernel.process(process.pid()));
        return Objects.requireNonNull(use.waitSeconds());
    }

    @Test
    void theSecondNumberOfSchedstatIsTheWaitInNanoseconds() {
        assertThat(Kernel.waitSeconds("2500000000 1500000000 77")).isEqualTo(1.5);
    }

    @Test
    void waitingForDisksIsNotBusyAndStolenTimeIs() {
        assertThat(Kernel.machine("cpu  100 0 100 5000 700 0 50 40 0 0\ncpu0 1 1 1 1"))
                .isEqualTo(new Kernel.MachineUse(59.9, 2.9, 0.4));
        assertThat(Kernel.machine("cpu  100 0 100")).isNull();
    }

    @Test
    void theKernelCountsSocketMemoryInPages() {
        assertThat(Kernel.tcpBytes("sockets: used 12\nTCP: inuse 1 orphan 0 tw 0 alloc 1 mem 25\nUDP: inuse 0 mem 9"))
                .isEqualTo(25 * 4096L);
    }

    @Test
    void theHardLimitOfOpenFilesCounts() {
        assertThat(Kernel.openFilesMax("Limit                     Soft Limit           Hard Limit           Units\n"
                        + "Max open files            1024                 20000                files"))
                .hasValue(20_000L);
        assertThat(Kernel.openFilesMax("Max open files            unlimited unlimited files"))
                .isEmpty();
    }

    @Test
    void anEndedProcessHasNoFigures() {
        assertThat(Kernel.process(Long.MAX_VALUE)).isNull();
    }
}
