package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.config.LimitConfig;
import java.net.InetAddress;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections, in total and per address, and decides whether one more is accepted. Any thread.
 *
 * <p>An address has an entry while it has connections. An address that used up part of a rate keeps its entry a little
 * longer, so that a reconnect does not reset the rate. Limit.RememberedAddresses bounds the number of such entries.
 */
final class Admission {
    /** An address with connections to this server; its connections share this object. */
    static final class Origin extends AddressRates {
        private final @Nullable AddressKey address;

        // These fields change only under the lock of the map entry.
        private int connections;
        private int unknown;
        private boolean remembered;

        private Origin(@Nullable AddressKey address) {
            this.address = address;
        }

        boolean is(@Nullable InetAddress other) {
            return Objects.equals(address, other == null ? null : AddressKey.of(other));
        }

        @Override
        public String text() {
            return address == null ? "" : address.toString();
        }

        /** Returns whether this origin stands for all connections with an unknown address. */
        boolean isUnknown() {
            return address == null;
        }
    }

    private static final Origin UNKNOWN = new Origin(null);

    private volatile LimitConfig limits;
    private final AtomicInteger connections = new AtomicInteger();
    private final ConcurrentHashMap<AddressKey, Origin> origins = new ConcurrentHashMap<>();
    private final Queue<Origin> remembered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger rememberedCount = new AtomicInteger();
    private final AtomicInteger forgottenEarly = new AtomicInteger();
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

    /**
     * Returns whether new sessions are refused. Connections are still accepted, so that health probes get an answer.
     */
    boolean isDraining() {
        return draining;
    }

    /** Counts a new connection, which has not authenticated yet. */
    Origin enter(@Nullable InetAddress address) {
        connections.incrementAndGet();
        return at(address, false);
    }

    /** Moves a connection to another address, after a proxy reported its client. */
    Origin move(Origin from, @Nullable InetAddress to, boolean known, long nowNanos) {
        Origin next = at(to, known);
        leaveAddress(from, known, nowNanos);
        return next;
    }

    private Origin at(@Nullable InetAddress address, boolean isKnown) {
        return address == null
                ? UNKNOWN
                : origins.compute(AddressKey.of(address), (same, known) -> {
                    Origin origin = known == null ? new Origin(same) : known;
                    origin.connections++;
                    origin.unknown += isKnown ? 0 : 1;
                    return origin;
                });
    }

    /** Returns why a connection that was just counted is refused, or null. */
    @Nullable
    Code refusal(Origin origin, long nowNanos) {
        LimitConfig now = limits;
        if (now.ofConnections().connections() > 0
                && connections.get() > now.ofConnections().connections()) {
            return Code.TOO_MANY_CONNECTIONS;
        }
        if (origin.address == null) {
            return null;
        }
        // Connections that other threads count concurrently may be missing here; this connection is always included.
        if (now.ofAddress().connections() > 0
                && origin.connections > now.ofAddress().connections()) {
            return Code.TOO_MANY_FROM_ADDRESS;
        }
        if (now.ofAddress().unknown() > 0 && origin.unknown > now.ofAddress().unknown()) {
            return Code.TOO_MANY_UNKNOWN;
        }
        int rate = now.ofAddress().connectRate();
        return rate > 0 && origin.takeConnect(rate, nowNanos) > 0 ? Code.ADDRESS_CONNECT_RATE : null;
    }

    /** Called once per connection, when a handshake or an entitled request has identified its client. */
    void onKnown(Origin origin) {
        if (origin.address != null) {
            origins.computeIfPresent(origin.address, (same, known) -> {
                known.unknown--;
                return known;
            });
        }
    }

    /** Removes a connection; {@code known} is true if {@link #onKnown} was called for it. */
    void leave(Origin origin, boolean known, long nowNanos) {
        connections.decrementAndGet();
        leaveAddress(origin, known, nowNanos);
    }

    private void leaveAddress(Origin origin, boolean known, long nowNanos) {
        if (origin.address != null) {
            origins.computeIfPresent(origin.address, (same, present) -> {
                present.unknown -= known ? 0 : 1;
                return --present.connections > 0 || remember(present, nowNanos) ? present : null;
            });
        }
    }

    /**
     * Keeps an address without connections if its rates are in use; returns whether it was kept. Under the map's
     * lock.
     */
    private boolean remember(Origin origin, long nowNanos) {
        if (origin.remembered) {
            return true;
        }
        if (origin.isForgettable(nowNanos)) {
            return false;
        }
        if (rememberedCount.get() >= limits.held().rememberedAddresses()) {
            forgottenEarly.incrementAndGet();
            return false;
        }
        origin.remembered = true;
        rememberedCount.incrementAndGet();
        remembered.add(origin);
        return true;
    }

    /** Removes the addresses whose rates have recovered. Called periodically by one thread. */
    void forget(long nowNanos) {
        for (int left = rememberedCount.get(); left > 0; left--) {
            Origin next = remembered.poll();
            if (next == null || next.address == null) {
                return;
            }
            origins.computeIfPresent(next.address, (same, known) -> {
                if (known.connections == 0 && !known.isForgettable(nowNanos)) {
                    remembered.add(known);
                    return known;
                }
                known.remembered = false;
                rememberedCount.decrementAndGet();
                return known.connections == 0 ? null : known;
            });
        }
    }

    /** Returns and resets the number of addresses that were removed too early because the table was full. */
    int takeForgottenEarly() {
        return forgottenEarly.getAndSet(0);
    }

    /** Returns the number of addresses with an entry. */
    int addresses() {
        return origins.size();
    }
}
