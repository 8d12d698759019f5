package io.belfry.server.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Files of /proc and /sys of a host without findings; tests change single files. */
final class FakeHost {
    private final Path root;
    private Host.Java java = java();

    FakeHost(Path root) {
        this.root = root;
        write("proc/self/limits", "Max open files            1048576              1048576              files\n");
        write("proc/self/status", "Name:\tjava\nCapEff:\t000001ffffffffff\n");
        write("proc/sys/fs/nr_open", "1073741816\n");
        write("proc/sys/fs/file-max", "9223372036854775807\n");
        write("proc/sys/net/core/somaxconn", "4096\n");
        write("proc/sys/net/ipv4/tcp_max_syn_backlog", "4096\n");
        write("proc/sys/net/ipv4/tcp_mem", "287901\t383868\t575802\n");
        write("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
        write("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t262144\n");
        write("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n");
        write("proc/sys/net/ipv4/ip_local_reserved_ports", "\n");
        write("proc/sys/net/ipv4/ip_unprivileged_port_start", "1024\n");
        write("proc/meminfo", "MemTotal:       24684092 kB\nMemFree:        1 kB\n");
        write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    }

    static Host.Java java() {
        return new Host.Java(25, "25.0.3", false, 0, List.of(), true, true, "/tmp", true);
    }

    FakeHost write(String file, String text) {
        try {
            Path path = root.resolve(file);
            Files.createDirectories(path.getParent());
            Files.writeString(path, text);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void listen(int port) {
        write(
                "proc/net/tcp6",
                "  sl  local_address                         remote_address                        st tx_queue rx_queue\n"
                        + "   0: 00000000000000000000000000000000:%04X 00000000000000000000000000000000:0000 0A 00000000\n"
                                .formatted(port)
                        + "   1: 00000000000000000000000000000000:1F90 00000000000000000000000000000001:C350 01 00000000\n");
    }

    void java(Host.Java other) {
        java = other;
    }

    Host read() {
        return new HostReader(root, 4, java).read();
    }
}
