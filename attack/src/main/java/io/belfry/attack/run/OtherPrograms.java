package io.belfry.attack.run;

import io.belfry.benchkit.process.Kernel;
import io.belfry.benchkit.process.Kernel.MachineUse;
import io.belfry.benchkit.process.Kernel.ProcessUse;
import org.jspecify.annotations.Nullable;

/**
 * Measures how much of the processors other programs use, apart from this one and the attacked server. Immutable.
 *
 * @param machine use of the machine when the measurement began; null if the kernel does not report it
 * @param ownSeconds CPU time that this program and the server had used by then
 */
record OtherPrograms(long serverPid, @Nullable MachineUse machine, double ownSeconds) {
    static OtherPrograms watch(long serverPid) {
        return new OtherPrograms(serverPid, Kernel.machine(), ownSeconds(serverPid));
    }

    /** Returns their share of the time of all processors since the measurement began; 0 if it is unknown. */
    double share() {
        MachineUse now = Kernel.machine();
        if (machine == null || now == null) {
            return 0;
        }
        double others = now.busySeconds() - machine.busySeconds() - (ownSeconds(serverPid) - ownSeconds);
        double all = now.allSeconds() - machine.allSeconds();
        return all <= 0 ? 0 : Math.clamp(others / all, 0, 1);
    }

    private static double ownSeconds(long serverPid) {
        return cpuSeconds(serverPid) + cpuSeconds(ProcessHandle.current().pid());
    }

    private static double cpuSeconds(long pid) {
        ProcessUse use = Kernel.process(pid);
        return use == null ? 0 : use.cpuSeconds();
    }
}
