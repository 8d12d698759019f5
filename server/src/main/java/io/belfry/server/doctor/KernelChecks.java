package io.belfry.server.doctor;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Checks of the kernel's network settings: bursts of connects, socket memory, tracking, NIC queues. Pure functions. */
final class KernelChecks {
    /** Wanted length of the accept queue: the kernel's default since Linux 5.4, which was 128 before. */
    private static final int BACKLOG = 4_096;

    private static final int PAGE_BYTES = 4_096;

    /** One stalled reader per this many connections must not stop the traffic of the others. */
    private static final int CONNECTIONS_PER_STALLED = 100;

    private KernelChecks() {}

    static Stream<Finding> of(ExpectedLoad load, Host host) {
        Host.Kernel kernel = host.kernel();
        return Stream.concat(
                Stream.of(
                                backlog(kernel),
                                synQueue(kernel),
                                socketMemory(load, kernel),
                                stalledReaders(load, kernel),
                                wholeMessage(load, kernel),
                                tracking(load, kernel))
                        .flatMap(Optional::stream),
                host.nics().stream().flatMap(nic -> queues(nic, host.processors()).stream()));
    }

    private static Optional<Finding> backlog(Host.Kernel kernel) {
        return Host.below(kernel.value("net.core.somaxconn"), BACKLOG)
                .map(found -> Finding.serious(
                        "backlog: net.core.somaxconn limits the accept queue to " + found + ", " + BACKLOG
                                + " are needed; connects beyond it are delayed for a second or more",
                        "sysctl -w net.core.somaxconn=" + BACKLOG));
    }

    private static Optional<Finding> synQueue(Host.Kernel kernel) {
        return Host.below(kernel.value("net.ipv4.tcp_max_syn_backlog"), BACKLOG)
                .map(found -> Finding.advice(
                        "SYN queue: net.ipv4.tcp_max_syn_backlog is " + found + ", " + BACKLOG
                                + " are needed when many clients reconnect at once",
                        "sysctl -w net.ipv4.tcp_max_syn_backlog=" + BACKLOG));
    }

    /** A socket with unread data holds at least a page; beyond the maximum of tcp_mem the kernel drops data of all sockets. */
    private static Optional<Finding> socketMemory(ExpectedLoad load, Host.Kernel kernel) {
        long pages = load.connections();
        long pressure = pages + pages / 4;
        long most = pages + pages / 2;
        return Host.below(kernel.value("net.ipv4.tcp_mem", 2), pages)
                .map(found -> Finding.serious(
                        "socket memory: the maximum of net.ipv4.tcp_mem is " + found + " pages; a page for each socket"
                                + " with unread data makes " + pages + " for " + load.reason(),
                        "sysctl -w net.ipv4.tcp_mem='" + pages + " " + pressure + " " + most + "'"));
    }

    private static Optional<Finding> stalledReaders(ExpectedLoad load, Host.Kernel kernel) {
        OptionalLong pages = kernel.value("net.ipv4.tcp_mem", 2);
        OptionalLong sendMax = kernel.value("net.ipv4.tcp_wmem", 2);
        if (pages.isEmpty() || sendMax.isEmpty()) {
            return Optional.empty();
        }
        long stalled = load.connections() / CONNECTIONS_PER_STALLED;
        long bytesMax = Math.max(
                pages.getAsLong() * PAGE_BYTES / Math.max(stalled, 1),
                load.config().messages().maxMessageSize());
        return sendMax.getAsLong() <= bytesMax
                ? Optional.empty()
                : Optional.of(Finding.advice(
                        "send buffers: net.ipv4.tcp_wmem lets a stalled reader hold " + sendMax.getAsLong() + " bytes; "
                                + stalled + " of them fill all the socket memory tcp_mem allows",
                        "sysctl -w net.ipv4.tcp_wmem='4096 16384 " + Math.max(Long.highestOneBit(bytesMax), 65_536)
                                + "'"));
    }

    /** A message larger than the buffer needs several turns of the loop, in both directions. */
    private static Optional<Finding> wholeMessage(ExpectedLoad load, Host.Kernel kernel) {
        int message = load.config().messages().maxMessageSize();
        return Stream.of("net.ipv4.tcp_wmem", "net.ipv4.tcp_rmem")
                .flatMap(name -> Host.below(kernel.value(name, 2), message)
                        .map(found -> Finding.advice(
                                "buffers: the maximum of " + name + " is " + found + ", but MaxMessageSize is "
                                        + message,
                                "sysctl -w " + name + "='4096 16384 " + 2L * message + "'"))
                        .stream())
                .findFirst();
    }

    private static Optional<Finding> tracking(ExpectedLoad load, Host.Kernel kernel) {
        long needed = load.connections() + load.connections() / 4L;
        return Host.below(kernel.value("net.netfilter.nf_conntrack_max"), needed)
                .map(found -> Finding.serious(
                        "connection tracking: the firewall tracks at most " + found + " connections and drops the"
                                + " packets of others; " + needed + " are needed for " + load.reason(),
                        "sysctl -w net.netfilter.nf_conntrack_max=" + needed,
                        load.config().network().listen().plain().stream()
                                .findFirst()
                                .map(address -> "iptables -t raw -A PREROUTING -p tcp --dport " + address.port()
                                        + " -j NOTRACK   # and the same for OUTPUT with --sport")
                                .orElse("")));
    }

    private static Optional<Finding> queues(Host.Nic nic, int processors) {
        return nic.receiveQueues() >= processors || nic.spread()
                ? Optional.empty()
                : Optional.of(Finding.advice(
                        "network card " + nic.name() + ": " + nic.receiveQueues() + " receive queue(s) for "
                                + processors + " processors, so that only as many processors serve its interrupts",
                        "ethtool -L " + nic.name() + " combined " + processors + "   # if the card has as many",
                        "tuning/tune.sh apply nic:" + nic.name()));
    }
}
