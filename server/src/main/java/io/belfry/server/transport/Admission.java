package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.config.LimitConfig;
import java.net.InetAddress;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** How many connections there are, in all and per address, and whether one more may come. Any thread. */
final class Admission {
    /** An address that has connections here, shared by all of them. */
    static final class Origin {
        private final @Nullable InetAddress address;

        /** Changed within the map's own lock only. */
        private int connections;

        private Origin(@Nullable InetAddress address) {
            this.address = address;
        }

        boolean is(@Nullable InetAddress other) {
            return Objects.equals(address, other);
        }

        boolean isLoopback() {
            return address != null && address.isLoopbackAddress();
        }
    }

    private static final Origin UNKNOWN = new Origin(null);

    private volatile LimitConfig limits;
    private final AtomicInteger connections = new AtomicInteger();
    private final ConcurrentHashMap<InetAddress, Origin> origins = new ConcurrentHashMap<>();
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

    /** Counts a connection in. */
    Origin enter(@Nullable InetAddress address) {
        connections.incrementAndGet();
        return at(address);
    }

    /** Counts a connection in that turns out to be another address's, after it was counted in. */
    Origin move(Origin from, @Nullable InetAddress to) {
        Origin next = at(to);
        forget(from);
        return next;
    }

    private Origin at(@Nullable InetAddress address) {
        return address == null
                ? UNKNOWN
                : origins.compute(address, (same, known) -> {
                    Origin origin = known == null ? new Origin(same) : known;
                    origin.connections++;
                    return origin;
                });
    }

    /** Why a connection that was just counted in may not stay, or null. */
    @Nullable
    Code refusal(Origin origin) {
        if (limits.connections() > 0 && connections.get() > limits.connections()) {
            return Code.TOO_MANY_CONNECTIONS;
        }
        // What others count in at the same moment may be seen or not; its own is.
        if (limits.connectionsPerAddress() > 0 && origin.connections > limits.connectionsPerAddress()) {
            return Code.TOO_MANY_FROM_ADDRESS;
        }
        return null;
    }

    void leave(Origin origin) {
        connections.decrementAndGet();
        forget(origin);
    }

    private void forget(Origin origin) {
        if (origin.address != null) {
            origins.computeIfPresent(origin.address, (same, known) -> --known.connections == 0 ? null : known);
        }
    }
}
