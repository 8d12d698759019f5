package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs tuning/tune.sh on a folder that stands for the root of the file system (TUNE_ROOT); the machine is not changed. */
final class TuneScriptTest {
    private static final int WELL = 0;
    private static final int DIFFERS = 1;
    private static final int WRONG_USAGE = 2;
    private static final String THP = "sys/kernel/mm/transparent_hugepage/enabled";
    private static final String SYSCTL_TARGET = "etc/sysctl.d/60-belfry.conf";
    private static final String LIMITS_TARGET = "etc/security/limits.d/60-belfry.conf";
    private static final String UNIT_TARGET = "etc/systemd/system/belfry.service";
    private static final String PACKETS = "sys/class/net/eth0/queues/rx-0/rps_cpus";

    @TempDir
    private Path root;

    @BeforeEach
    void makeRoot() throws IOException {
        write("proc/meminfo", "MemTotal: 64000000 kB\n");
        write("proc/cpuinfo", "processor : 0\nprocessor : 1\n");
        write("proc/sys/fs/nr_open", "1048576\n");
        write("proc/sys/net/core/somaxconn", "128\n");
        write("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t4194304\n");
        write("proc/sys/net/ipv4/ip_local_reserved_ports", "5000\n");
        write(THP, "always madvise [never]\n");
        write(PACKETS, "0\n");
        write("sys/class/net/eth0/device/msi_irqs/37", "");
        write("proc/irq/37/smp_affinity_list", "0-1\n");
    }

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private String read(String file) throws IOException {
        return Files.readString(root.resolve(file)).strip();
    }

    private Tool.Result tune(String... arguments) {
        List<String> command = Stream.concat(
                        Stream.of(TestMachine.root().resolve("tuning/tune.sh").toString()), Stream.of(arguments))
                .toList();
        try (Tool tool = Tool.start(root, Map.of("TUNE_ROOT", root.toString()), command)) {
            return tool.await();
        }
    }

    private void assertEnds(int exitCode, String... arguments) {
        Tool.Result result = tune(arguments);
        assertThat(result.exitCode()).as("%s: %s", List.of(arguments), result).isEqualTo(exitCode);
    }

    /** Every file below the root with its text, without the records of the script itself. */
    private Map<String, String> tree() throws IOException {
        Map<String, String> tree = new TreeMap<>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                tree.put(root.relativize(file).toString(), Files.readString(file));
            }
        }
        tree.keySet().removeIf(file -> file.startsWith("var/lib/belfry-tuning"));
        return tree;
    }

    @Test
    void checkReportsDifferencesAndChangesNothing() throws IOException {
        Map<String, String> before = tree();

        Tool.Result result = tune("check", "sysctl", "limits", "thp", "nic", "systemd");

        assertThat(result.exitCode()).as(result.toString()).isEqualTo(DIFFERS);
        assertThat(result.toString())
                .contains("net.core.somaxconn is 128, wanted is 4096")
                .contains("transparent huge pages: never")
                .contains("eth0: 1 receive queue(s) for 2 processors");
        assertThat(tree()).isEqualTo(before);
    }

    @Test
    void applySetsEveryItemAndThenCheckFindsNoDifference() throws IOException {
        assertEnds(WELL, "apply", "sysctl", "limits", "thp", "nic", "systemd");

        assertThat(read("proc/sys/fs/nr_open")).isEqualTo("2097152");
        assertThat(read("proc/sys/net/ipv4/tcp_wmem")).isEqualTo("4096 16384 262144");
        assertThat(read("proc/sys/net/ipv4/ip_local_reserved_ports")).isEqualTo("5000,3000,4000,8800");
        assertThat(read(SYSCTL_TARGET)).contains("net.core.somaxconn = 4096");
        assertThat(read(LIMITS_TARGET)).contains("nofile");
        assertThat(read(THP)).isEqualTo("madvise");
        assertThat(read("proc/irq/37/smp_affinity_list")).isEqualTo("0");
        assertThat(read(PACKETS)).isEqualTo("3");
        assertThat(read(UNIT_TARGET)).contains("ExecStart=" + TestMachine.root().toRealPath() + "/bin/belfry run");
        // The kernel shows the chosen mode in brackets; a plain file does not.
        write(THP, "always [madvise] never\n");
        assertEnds(WELL, "check", "sysctl", "limits", "thp", "nic", "systemd");
    }

    @Test
    void undoRestoresWhatWasThereBeforeTheFirstApply() throws IOException {
        write(LIMITS_TARGET, "# of somebody else\n");
        Map<String, String> before = tree();
        assertEnds(WELL, "apply", "sysctl", "limits", "nic", "systemd");
        assertEnds(WELL, "apply", "sysctl", "limits", "nic", "systemd");

        assertEnds(WELL, "undo", "sysctl", "limits", "nic", "systemd");

        Map<String, String> after = tree();
        // The configuration may hold secrets and changes of the operator, so undo leaves it.
        assertThat(after.remove("etc/belfry/belfry.conf")).isNotNull();
        after.replaceAll((file, text) -> text.strip().replace('\t', ' '));
        before.replaceAll((file, text) -> text.strip().replace('\t', ' '));
        assertThat(after).isEqualTo(before);
    }

    @Test
    void limitsAboveTheKernelsMaximumAreRefused() throws IOException {
        write("proc/sys/fs/nr_open", "65536\n");

        Tool.Result result = tune("apply", "limits");

        assertThat(result.exitCode()).isEqualTo(DIFFERS);
        assertThat(result.toString()).contains("apply sysctl first");
        assertThat(root.resolve(LIMITS_TARGET)).doesNotExist();
    }

    @Test
    void wrongUsageEndsWithTwo() {
        assertEnds(WRONG_USAGE);
        assertEnds(WRONG_USAGE, "apply");
        assertEnds(WRONG_USAGE, "check", "everything");
    }
}
