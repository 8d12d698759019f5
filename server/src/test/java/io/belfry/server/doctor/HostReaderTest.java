package io.belfry.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class HostReaderTest {
    @TempDir
    Path root;

    /** A file below /proc/sys has the size 0; reading by size once returned only its first digit. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aKernelSettingOfThisMachineIsReadCompletely() {
        Host host = HostReader.here(false);
        assertThat(host.kernel().value("fs.nr_open").orElseThrow()).isGreaterThan(1_000);
        assertThat(host.kernel().value("net.ipv4.ip_local_port_range", 1).orElseThrow())
                .isGreaterThan(1_000);
        assertThat(host.memory().ramBytes().orElseThrow()).isGreaterThan(1 << 20);
        assertThat(host.openFiles().hard()).isPresent();
    }

    @Test
    void onlyListeningSocketsCount() {
        FakeHost fake = new FakeHost(root);
        fake.listen(8800);
        assertThat(fake.read().ports().listening()).containsExactly(8800);
    }

    @Test
    void noexecIsReadFromTheMountThatHoldsAFolder() {
        new FakeHost(root)
                .write(
                        "proc/self/mounts",
                        "/dev/sda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw,noexec 0 0\ntmpfs /tmp/runs tmpfs rw 0 0\n");
        HostFiles files = new HostFiles(root);
        assertThat(JavaReader.mayRunFrom(files, "/tmp/belfry")).isFalse();
        assertThat(JavaReader.mayRunFrom(files, "/tmp/runs/belfry")).isTrue();
        assertThat(JavaReader.mayRunFrom(files, "/tmpx")).isTrue();
    }

    @Test
    void aMemoryLimitOfMaxIsNoLimit() {
        FakeHost fake = new FakeHost(root);
        fake.write("proc/self/cgroup", "0::/\n").write("sys/fs/cgroup/memory.max", "max\n");
        assertThat(fake.read().memory().limitBytes()).isEmpty();
    }
}
