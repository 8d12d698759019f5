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
 * How many connections there are, in all and per address, and whether one more may come. Any thread.
 *
 * <p>An address is known while it has connections, and a little longer if it has used up some of a rate, so that coming
 * again does not begin a new one. Of such there are never more than Limit.RememberedAddresses.
 */
final class Admission {
    /** An address that has connections here, shared by all of them. */
    static final class Origin extends AddressRates {
        private final @Nullable AddressKey address;

        // Changed within the map's own lock only.
        private int connections;
        private int unknown;
        private boolean remembered;

        private Origin(@Nullable AddressKey address) {
            this.address = address;
        }

        boolean is(@Nullable InetAddress other) {
            return Objects.equals(address, other == null ? null : AddressKey.of(other));
        }

        /** Whether it is that of all whose address is not known. */
        boolean isNobodys() {
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

    /** Whether no new session may begin. Connections still may: probes want an answer. */
    boolean isDraining() {
        return draining;
    }

    /** Counts a connection in, as one that is nobody's yet. */
    Origin enter(@Nullable InetAddress address) {
        connections.incrementAndGet();
        return at(address, false);
    }

    /** Counts a connection in that turns out to be another address's, after it was counted in. */
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

    /** Why a connection that was just counted in may not stay, or null. */
    @Nullable
    Code refusal(Origin origin, long nowNanos) {
        LimitConfig now = limits;
        if (now.connections() > 0 && connections.get() > now.connections()) {
            return Code.TOO_MANY_CONNECTIONS;
        }
        if (origin.address == null) {
            return null;
        }
        // What others count in at the same moment may be seen or not; its own is.
        if (now.connectionsPerAddress() > 0 && origin.connections > now.connectionsPerAddress()) {
            return Code.TOO_MANY_FROM_ADDRESS;
        }
        if (now.ofAddress().unknown() > 0 && origin.unknown > now.ofAddress().unknown()) {
            return Code.TOO_MANY_UNKNOWN;
        }
        int rate = now.ofAddress().connectRate();
        return rate > 0 && origin.takeConnect(rate, nowNanos) > 0 ? Code.ADDRESS_CONNECT_RATE : null;
    }

    /** A handshake or an entitled request shows whose the connection is. Once per connection. */
    void onKnown(Origin origin) {
        if (origin.address != null) {
            origins.computeIfPresent(origin.address, (same, known) -> {
                known.unknown--;
                return known;
            });
        }
    }

    /** {@code known}: whether {@link #onKnown} was told of the connection. */
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

    /** Whether an address that has no connection any more stays known. Within the map's lock. */
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

    /** Forgets the addresses of which nothing counts any more. Now and then, by one thread. */
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

    /** How many had to be forgotten before their time since this was asked last. */
    int takeForgottenEarly() {
        return forgottenEarly.getAndSet(0);
    }

    /** Addresses of which something is known. */
    int addresses() {
        return origins.size();
    }
}
