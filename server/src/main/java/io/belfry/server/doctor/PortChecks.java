package io.belfry.server.doctor;

import io.belfry.server.config.ListenAddress;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Checks whether the configured ports are available, now and at the next start. Pure functions. */
final class PortChecks {
    private PortChecks() {}

    static Stream<Finding> of(ExpectedLoad load, Host host) {
        return Stream.concat(
                        load.config().network().listen().plain().stream(),
                        load.config().network().listen().encrypted().stream())
                .filter(address -> address.port() > 0)
                .flatMap(
                        address -> Stream.of(taken(address, host), privileged(address, host), ephemeral(address, host)))
                .flatMap(findings -> findings);
    }

    private static Stream<Finding> taken(ListenAddress address, Host host) {
        return host.ports().listening().contains(address.port())
                ? Stream.of(Finding.serious(
                        "ports: port " + address.port() + " of " + address + " is in use by another process",
                        "ss -ltnp 'sport = :" + address.port() + "'   # shows the process; stop it or change Listen"))
                : Stream.empty();
    }

    private static Stream<Finding> privileged(ListenAddress address, Host host) {
        OptionalLong first = host.kernel().value("net.ipv4.ip_unprivileged_port_start");
        return !host.ports().bindsLow() && first.isPresent() && address.port() < first.getAsLong()
                ? Stream.of(Finding.serious(
                        "ports: only root may listen on " + address + ", below " + first.getAsLong(),
                        "AmbientCapabilities=CAP_NET_BIND_SERVICE in the systemd unit",
                        "sysctl -w net.ipv4.ip_unprivileged_port_start=" + address.port()))
                : Stream.empty();
    }

    /** An outgoing connection may get any free port of the range, so a restarting listener may find its port taken. */
    private static Stream<Finding> ephemeral(ListenAddress address, Host host) {
        OptionalLong first = host.kernel().value("net.ipv4.ip_local_port_range", 0);
        OptionalLong last = host.kernel().value("net.ipv4.ip_local_port_range", 1);
        boolean inRange = first.isPresent()
                && last.isPresent()
                && address.port() >= first.getAsLong()
                && address.port() <= last.getAsLong();
        return inRange && !host.ports().reserved().contains(address.port())
                ? Stream.of(Finding.advice(
                        "ports: " + address + " is in the range of outgoing connections, " + first.getAsLong() + " to "
                                + last.getAsLong() + "; one of them may take it while the server is down",
                        "sysctl -w net.ipv4.ip_local_reserved_ports=" + address.port()))
                : Stream.empty();
    }
}
