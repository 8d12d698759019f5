package io.belfry.server.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
    @TempDir
    Path root;

    private FakeHost host;

    @BeforeEach
    void aHostThatFits() {
        host = new FakeHost(root);
    }

    private List<Finding> examine(String... sets) {
        return Doctor.examine(config(sets), host.read());
    }

    private static ServerConfig config(String... sets) {
        return ConfigLoader.load(Optional.empty(), Map.of(), List.of(sets));
    }

    private Finding only(String... sets) {
        List<Finding> findings = examine(sets);
        assertThat(findings).hasSize(1);
        return findings.getFirst();
    }

    @Test
    void aHostThatFitsHasNoFindings() {
        assertThat(examine("Limit.Connections=100000")).isEmpty();
    }

    @Test
    void aHostWithoutReadableSettingsHasNoFindings() {
        assertThat(Doctor.examine(config(), new HostReader(root.resolve("empty"), 4, FakeHost.java()).read()))
                .isEmpty();
    }

    @Test
    void tooFewOpenFilesAreSeriousAndTheFixHasTheNumber() {
        host.write("proc/self/limits", "Max open files            1024                 4096                 files\n");
        Finding finding = only("Limit.Connections=100000");
        assertThat(finding.severity()).isEqualTo(Finding.Severity.SERIOUS);
        assertThat(finding.what()).contains("4096").contains("101000").contains("Limit.Connections = 100000");
        assertThat(finding.mend()).contains("LimitNOFILE=101000 in the systemd unit");
    }

    @Test
    void aSoftLimitThatTheJvmRaisesIsAccepted() {
        host.write("proc/self/limits", "Max open files            1024                 1048576              files\n");
        assertThat(examine("Limit.Connections=100000")).isEmpty();
    }

    @Test
    void withoutALimitTenThousandConnectionsAreAssumed() {
        host.write("proc/self/limits", "Max open files            1024                 4096                 files\n");
        assertThat(only().what()).contains("10000 connections (Limit.Connections sets no limit)");
    }

    @Test
    void theKernelsLimitsOfOpenFilesAreChecked() {
        host.write("proc/sys/fs/nr_open", "50000\n").write("proc/sys/fs/file-max", "60000\n");
        assertThat(examine("Limit.Connections=100000"))
                .extracting(finding -> finding.mend().getFirst())
                .containsExactly("sysctl -w fs.nr_open=101000", "sysctl -w fs.file-max=202000");
    }

    @Test
    void aPortInUseIsSerious() {
        host.listen(8800);
        assertThat(only().what()).contains("port 8800");
        assertThat(examine("Listen=*:8801")).isEmpty();
        assertThat(Doctor.examine(config(), host.read().withoutListeners())).isEmpty();
    }

    @Test
    void aLowPortNeedsACapability() {
        assertThat(examine("Listen=*:443")).isEmpty();
        host.write("proc/self/status", "CapEff:\t0000000000000000\n");
        assertThat(only("Listen=*:443").mend()).contains("sysctl -w net.ipv4.ip_unprivileged_port_start=443");
    }

    @Test
    void aPortInTheOutgoingRangeShouldBeReserved() {
        assertThat(only("Listen=*:40000").mend()).containsExactly("sysctl -w net.ipv4.ip_local_reserved_ports=40000");
        host.write("proc/sys/net/ipv4/ip_local_reserved_ports", "8080,39990-40010\n");
        assertThat(examine("Listen=*:40000")).isEmpty();
    }

    @Test
    void aPortChosenAtStartIsNotChecked() {
        assertThat(examine("Listen=*:0")).isEmpty();
    }

    @Test
    void aShortBacklogIsSerious() {
        host.write("proc/sys/net/core/somaxconn", "128\n");
        assertThat(only().mend()).containsExactly("sysctl -w net.core.somaxconn=4096");
    }

    @Test
    void aShortSynQueueIsAdvice() {
        host.write("proc/sys/net/ipv4/tcp_max_syn_backlog", "512\n");
        assertThat(only().severity()).isEqualTo(Finding.Severity.ADVICE);
    }

    @Test
    void socketMemoryNeedsAPageForEachSocketWithUnreadData() {
        host.write("proc/sys/net/ipv4/tcp_mem", "20000\t40000\t60000\n");
        Finding finding = examine("Limit.Connections=100000").getFirst();
        assertThat(finding.severity()).isEqualTo(Finding.Severity.SERIOUS);
        assertThat(finding.mend()).containsExactly("sysctl -w net.ipv4.tcp_mem='100000 125000 150000'");
        assertThat(examine("Limit.Connections=50000")).noneMatch(left -> left.severity() == Finding.Severity.SERIOUS);
    }

    @Test
    void largeSendBuffersForManyConnectionsAreAdvice() {
        host.write("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t16777216\n");
        Finding finding = only("Limit.Connections=100000");
        assertThat(finding.severity()).isEqualTo(Finding.Severity.ADVICE);
        assertThat(finding.mend()).containsExactly("sysctl -w net.ipv4.tcp_wmem='4096 16384 2097152'");
    }

    @Test
    void buffersShorterThanAMessageAreAdvice() {
        host.write("proc/sys/net/ipv4/tcp_rmem", "4096\t16384\t32768\n");
        assertThat(only().mend()).containsExactly("sysctl -w net.ipv4.tcp_rmem='4096 16384 131072'");
    }

    @Test
    void aFirewallThatTracksTooFewConnectionsIsSerious() {
        host.write("proc/sys/net/netfilter/nf_conntrack_max", "65536\n");
        assertThat(only("Limit.Connections=100000").mend())
                .contains("sysctl -w net.netfilter.nf_conntrack_max=125000")
                .anyMatch(line -> line.contains("--dport 8800 -j NOTRACK"));
    }

    @Test
    void tooFewReceiveQueuesAreAdviceWithoutReceivePacketSteering() {
        host.write("sys/class/net/eth0/device/vendor", "").write("sys/class/net/eth0/queues/rx-0/rps_cpus", "00\n");
        host.write("sys/class/net/docker0/queues/rx-0/rps_cpus", "00\n");
        assertThat(only().what()).startsWith("network card eth0: 1 receive queue(s) for 4 processors");
        host.write("sys/class/net/eth0/queues/rx-0/rps_cpus", "0f\n");
        assertThat(examine()).isEmpty();
    }

    @Test
    void memoryOverTheLimitOfTheControlGroupIsSerious() {
        host.write("proc/self/cgroup", "0::/system.slice/belfry.service\n")
                .write("sys/fs/cgroup/system.slice/memory.max", "536870912\n")
                .write("sys/fs/cgroup/system.slice/belfry.service/memory.max", "max\n");
        Finding finding = only();
        assertThat(finding.severity()).isEqualTo(Finding.Severity.SERIOUS);
        assertThat(finding.what()).contains("has 512 MB, but 950 MB are needed");
        assertThat(finding.mend())
                .containsExactly(
                        "Memory = 161 MB   # in the configuration", "CacheMemory = 40 MB   # in the configuration");
        assertThat(examine("Memory=161 MB", "CacheMemory=40 MB")).isEmpty();
    }

    @Test
    void aCacheThatDoesNotFitBesideTheHeapIsSerious() {
        host.write("proc/meminfo", "MemTotal:        2097152 kB\nMemFree:  1 kB\n");
        assertThat(examine("Memory=1 GB", "CacheMemory=600 MB")).isEmpty();
        assertThat(only("Memory=1 GB", "CacheMemory=900 MB").what()).contains("CacheMemory outside the heap 900 MB");
    }

    @Test
    void theCacheIsNotPartOfTheHeap() {
        assertThat(examine("Memory=256 MB", "CacheMemory=250 MB")).isEmpty();
    }

    @Test
    void controlGroupsOfVersionOneAreRead() {
        host.write("proc/self/cgroup", "4:cpu,memory:/docker/abc\n2:cpuset:/\n")
                .write("sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n")
                .write("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(only().what()).contains("has 512 MB");
    }

    @Test
    void moreConnectionsThanMemoryAllowsAreSerious() {
        host.write("proc/meminfo", "MemTotal:        1048576 kB\nMemFree:  1 kB\n");
        assertThat(examine("Limit.Connections=1000000", "Memory=800 MB"))
                .anyMatch(finding -> finding.what().startsWith("memory: ")
                        && finding.mend().getFirst().startsWith("Limit.Connections = "));
    }

    @Test
    void aHeapTooSmallForTheConnectionsIsSerious() {
        assertThat(only("Limit.Connections=100000", "Memory=128 MB").mend())
                .containsExactly("Memory = 244 MB   # in the configuration");
    }

    @Test
    void hugePagesSwitchedOffAreAdvice() {
        host.write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
        assertThat(only().severity()).isEqualTo(Finding.Severity.ADVICE);
    }

    @Test
    void aServersJvmIsComparedWithItsConfiguration() {
        host.java(new Host.Java(25, "25", true, 128L << 20, List.of("-Xmx128m"), true, true, "/tmp", true));
        assertThat(examine())
                .extracting(Finding::what)
                .satisfiesExactly(
                        flags -> assertThat(flags)
                                .contains("-XX:+UseCompactObjectHeaders")
                                .contains("missing"),
                        heap -> assertThat(heap).contains("128 MB, but Memory is 512 MB"));
    }

    @Test
    void anOldJdkIsSerious() {
        host.java(new Host.Java(21, "21.0.2", false, 0, List.of(), true, true, "/tmp", true));
        assertThat(only().what()).isEqualTo("JDK: this is 21.0.2, 25 or later is needed");
    }

    @Test
    void requestedButUnavailableNativeSocketsAreSerious() {
        host.java(new Host.Java(25, "25", false, 0, List.of(), true, true, "/tmp", false));
        assertThat(only("X.Native.Io=true").severity()).isEqualTo(Finding.Severity.SERIOUS);
        assertThat(only().severity()).isEqualTo(Finding.Severity.ADVICE);
        assertThat(only().what()).contains("noexec");
        assertThat(examine("X.Native.Io=false")).isEmpty();
    }

    @Test
    void requestedButUnavailableNativeTlsIsSerious() {
        host.java(new Host.Java(25, "25", false, 0, List.of(), true, false, "/tmp", true));
        String[] encrypted = {"ListenEncrypted=*:8443", "Certificate=a", "CertificateKey=b", "Tls.Provider=openssl"};
        assertThat(only(encrypted).severity()).isEqualTo(Finding.Severity.SERIOUS);
        encrypted[3] = "Tls.Provider=auto";
        assertThat(only(encrypted).severity()).isEqualTo(Finding.Severity.ADVICE);
        encrypted[3] = "Tls.Provider=jdk";
        assertThat(examine(encrypted)).isEmpty();
        assertThat(examine("Tls.Provider=openssl")).isEmpty();
    }

    @Test
    void warningsAreSeriousFindingsOnOneLineEach() {
        host.write("proc/sys/net/core/somaxconn", "128\n").write("proc/sys/net/ipv4/tcp_max_syn_backlog", "512\n");
        assertThat(Doctor.warnings(config(), host.read()))
                .singleElement()
                .asString()
                .contains("128")
                .endsWith("; to fix it: sysctl -w net.core.somaxconn=4096")
                .doesNotContain("\n");
    }

    @Test
    void aFindingIsPrintedWithItsFixes() {
        assertThat(Finding.serious("ports: taken", "one", "two"))
                .hasToString("SERIOUS ports: taken\n        fix: one\n        fix: two");
    }

    private Finding ofHistory(Host.Folder folder, String... sets) {
        List<Finding> findings = historyFindings(folder, sets);
        assertThat(findings).hasSize(1);
        return findings.getFirst();
    }

    private List<Finding> historyFindings(Host.Folder folder, String... sets) {
        List<String> all = new ArrayList<>(List.of("History=disk", "History.DiskBytes=4 GB"));
        all.addAll(List.of(sets));
        return Doctor.examine(config(all.toArray(String[]::new)), host.read().withHistory(folder));
    }

    private static Host.Folder folder(String type, long freeMegabytes, long usedMegabytes) {
        return new Host.Folder(
                Path.of("/data"),
                Optional.empty(),
                Optional.of(type),
                OptionalLong.of(freeMegabytes << 20),
                usedMegabytes << 20);
    }

    @Test
    void aDiskTooSmallForTheHistoryIsSerious() {
        Finding finding = ofHistory(folder("ext4", 1000, 1000));
        assertThat(finding.severity()).isEqualTo(Finding.Severity.SERIOUS);
        assertThat(finding.what())
                .contains("1000 MB left")
                .contains("3096 MB more")
                .contains("History.DiskBytes");
        assertThat(finding.mend()).containsExactly("History.DiskBytes = 1800 MB   # in the configuration");
        assertThat(ofHistory(folder("ext4", 30, 0)).mend().getFirst()).startsWith("History.Folder = ");
        assertThat(historyFindings(folder("ext4", 3200, 1000))).isEmpty();
        assertThat(historyFindings(folder("ext4", 1000, 1000), "History=memory"))
                .isEmpty();
    }

    @Test
    void aHistoryFolderInMemoryOrOnTheNetworkIsReported() {
        assertThat(ofHistory(folder("tmpfs", 9000, 0)).what()).contains("is in memory (tmpfs)");
        assertThat(ofHistory(folder("nfs4", 9000, 0)).severity()).isEqualTo(Finding.Severity.ADVICE);
    }

    @Test
    void anUnwritableFolderIsSeriousAndTheFixCreatesIt() {
        Host.Folder folder = new Host.Folder(
                Path.of("/data"), Optional.of(Host.Obstacle.RIGHTS), Optional.empty(), OptionalLong.empty(), 0);
        Finding finding = ofHistory(folder);
        assertThat(finding.severity()).isEqualTo(Finding.Severity.SERIOUS);
        assertThat(finding.what()).contains("History.Folder /data cannot be used");
        assertThat(finding.mend())
                .containsExactly("install -d -m 700 -o " + System.getProperty("user.name") + " /data   # as root");
    }

    @Test
    void aFileInThePlaceOfTheFolderIsAnObstacle() throws IOException {
        Path data = Files.createFile(root.resolve("file")).resolve("data");
        Finding finding = ofHistory(FolderReader.read(data));
        assertThat(finding.what()).contains(data.toString()).contains("it is a file");
        assertThat(finding.mend().getFirst()).startsWith("History.Folder = ");
        assertThat(Doctor.obstacle(config("History=disk", "History.Folder=" + data)))
                .contains(finding);
        assertThat(Doctor.obstacle(config("History.Folder=" + data))).isEmpty();
    }

    @Test
    void aMissingFolderIsCheckedAtItsExistingParent() throws IOException {
        Files.write(Files.createDirectories(root.resolve("data/logs")).resolve("a"), new byte[5000]);
        Host.Folder there = FolderReader.read(root.resolve("data"));
        assertThat(there.obstacle()).isEmpty();
        assertThat(there.usedBytes()).isEqualTo(5000);
        Host.Folder wanted = FolderReader.read(root.resolve("data/not/there"));
        assertThat(wanted.obstacle()).isEmpty();
        assertThat(wanted.usedBytes()).isZero();
        assertThat(wanted.type()).isEqualTo(there.type());
        assertThat(Files.exists(root.resolve("data/not"))).isFalse();
    }
}
