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

    /** Counts a connection in, whatever the answer; null where it may stay, else why not. */
    @Nullable
    Code enter(@Nullable InetAddress address) {
        int all = connections.incrementAndGet();
        int sameAddress = address == null ? 0 : perAddress.merge(address, 1, Integer::sum);
        if (draining) {
            return Code.NOT_READY;
        }
        if (limits.connections() > 0 && all > limits.connections()) {
            return Code.TOO_MANY_CONNECTIONS;
        }
        return limits.connectionsPerAddress() > 0 && sameAddress > limits.connectionsPerAddress()
                ? Code.TOO_MANY_FROM_ADDRESS
                : null;
    }

    void leave(@Nullable InetAddress address) {
        connections.decrementAndGet();
        if (address != null) {
            perAddress.computeIfPresent(address, (a, count) -> count == 1 ? null : count - 1);
        }
    }
}
