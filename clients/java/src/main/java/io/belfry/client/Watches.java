package io.belfry.client;

import io.belfry.client.connection.ClientLoop;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The watches of a client. They are requested on each link again. Owner: the client's loop. */
final class Watches {
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ClientLoop loop;
    private final Delivery delivery;
    private final Supplier<@Nullable Link> link;
    private final Map<String, SubjectWatch> watches = new LinkedHashMap<>();

    Watches(ClientLoop loop, Delivery delivery, Supplier<@Nullable Link> link) {
        this.loop = loop;
        this.delivery = delivery;
        this.link = link;
    }

    void add(SubjectWatch watch) {
        watches.put(watch.subject(), watch);
        request(watch);
    }

    private void request(SubjectWatch watch) {
        Link to = link.get();
        if (to != null) {
            to.watch(watch.key());
            to.flush();
        }
    }

    void remove(SubjectWatch watch) {
        Link to = link.get();
        if (watches.remove(watch.subject(), watch) && to != null) {
            to.unwatch(watch.key());
            to.flush();
        }
    }

    /** Requests all watches on a new link. */
    void requestAll() {
        watches.values().forEach(this::request);
    }

    void state(String subject, boolean subscribers) {
        SubjectWatch watch = watches.get(subject);
        if (watch != null && watch.changes(subscribers)) {
            delivery.run(() -> watch.report(subscribers));
        }
    }

    /** Handles an error: a rate limit delays the watch, every other error ends it. Returns true if it ended. */
    boolean failed(String subject, String code, String reason, long afterMillis) {
        SubjectWatch watch = watches.get(subject);
        if (watch == null) {
            return false;
        }
        if (!Refusals.isRateLimit(code)) {
            watches.remove(subject);
            watch.refused(code, reason);
            return true;
        }
        Link rejected = link.get();
        loop.runAfter(Math.max(AGAIN_NANOS, TimeUnit.MILLISECONDS.toNanos(afterMillis)), () -> {
            if (rejected != null && rejected.equals(link.get()) && watch.equals(watches.get(subject))) {
                request(watch);
            }
        });
        return false;
    }

    void close() {
        watches.values().forEach(watch -> watch.refused("client-closed", "the client was closed"));
        watches.clear();
    }
}
