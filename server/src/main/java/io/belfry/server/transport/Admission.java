package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.config.LimitConfig;
import java.net.InetAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** How many connections there are, in all and per address, and whether one more may come. Any thread. */
final class Admission {
    private volatile LimitConfig limits;
    private final AtomicInteger connections = new AtomicInteger();
    private final ConcurrentHashMap<InetAddress, Integer> perAddress = new ConcurrentHashMap<>();
    private volatile boolean draining;

    Admission(LimitConfig limits) {
        this.limits = limits;
    }

    void reconfigure(LimitConfig next) {
        limits = next;
    }

    void drain() {
        draining = true;
    }

    /** Whether no new session may begin. Connections still may: probes want an answer. */
    boolean isDraining() {
        return draining;
    }

    /** Counts a connection in and answers null, or answers why it may not stay. */
    @Nullable
    Code enter(@Nullable InetAddress address) {
        int all = connections.incrementAndGet();
        int sameAddress = address == null ? 0 : perAddress.merge(address, 1, Integer::sum);
        Code refusal = null;
        if (limits.connections() > 0 && all > limits.connections()) {
            refusal = Code.TOO_MANY_CONNECTIONS;
        } else if (limits.connectionsPerAddress() > 0 && sameAddress > limits.connectionsPerAddress()) {
            refusal = Code.TOO_MANY_FROM_ADDRESS;
        }
        if (refusal != null) {
            leave(address);
        }
        return refusal;
    }

    void leave(@Nullable InetAddress address) {
        connections.decrementAndGet();
        if (address != null) {
            perAddress.computeIfPresent(address, (a, count) -> count == 1 ? null : count - 1);
        }
    }
}
