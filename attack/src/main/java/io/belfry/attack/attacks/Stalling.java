package io.belfry.attack.attacks;

import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Connections that begin something and do not come to an end with it. All must be cut when {@code Limit.HandshakeTime} is
 * over; a byte now and then must not buy them more. Immutable.
 *
 * @param openings what such connections send first, in turn
 * @param drip what each sends again and again; empty: nothing
 */
record Stalling(String name, String sentence, List<Function<Requests, String>> openings, String drip)
        implements Attack {
    private static final int CONNECTIONS = 200;
    private static final Duration DRIP_EVERY = Duration.ofMillis(100);

    /** A time longer than this counts as no bound. */
    private static final Duration SENSIBLE_MAX = Duration.ofSeconds(15);

    static Stalling header() {
        return new Stalling(
                "slow-header",
                "request heads that come byte by byte and never end",
                List.of(requests -> requests.head("GET", "/health/live") + "X-Slow: "),
                "a");
    }

    static Stalling body() {
        return new Stalling(
                "slow-body",
                "publishes whose data comes byte by byte and never ends, as first and as second request",
                List.of(
                        requests -> requests.publishHead("/attack/slow-body", 4000),
                        requests -> requests.get("/health/live") + requests.publishHead("/attack/slow-body", 4000)),
                "a");
    }

    static Stalling handshakes() {
        return new Stalling(
                "half-handshakes",
                "connections that say nothing, half a request or half an upgrade, and then nothing more",
                List.of(
                        requests -> "",
                        requests -> "GET / HT",
                        requests -> requests.upgrade().substring(0, 60),
                        requests -> requests.upgrade().stripTrailing() + "\r\n"),
                "");
    }

    @Override
    public void run(Field field) throws IOException {
        Duration wait = bound(field);
        try (Crowd crowd = new Crowd()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                crowd.add(field.door()::open);
            }
            // From the last one on: where each is encrypted, opening them all takes a while.
            long begun = System.nanoTime();
            for (int i = 0; i < crowd.size(); i++) {
                crowd.get(i).send(openings.get(i % openings.size()).apply(field.requests()));
            }
            int open = crowd.open();
            while (open > 0 && secondsSince(begun) * 1000 < wait.toMillis()) {
                crowd.forEachOpen(this::drip);
                Field.rest(DRIP_EVERY);
                open = crowd.open();
            }
            if (open > 0) {
                field.gaveWay(String.format(
                        Locale.ROOT,
                        "%d of %d such connections are still open after %.1f s",
                        open,
                        crowd.size(),
                        secondsSince(begun)));
            } else {
                field.did(String.format(
                        Locale.ROOT, "%d connections, all cut within %.1f s", crowd.size(), secondsSince(begun)));
            }
        }
    }

    /** So long a connection may take to be cut. What will not be cut within any sensible time is not waited for. */
    static Duration bound(Field field) {
        Duration bound = field.facts().handshakeTime();
        return bound.compareTo(SENSIBLE_MAX) > 0 ? field.patience() : bound.plus(field.patience());
    }

    private void drip(Wire wire) {
        if (!drip.isEmpty()) {
            wire.send(drip);
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / 1e9;
    }
}
