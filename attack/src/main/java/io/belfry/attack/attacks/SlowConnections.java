package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Connections that start a request and do not complete it. The server must close all of them after {@code
 * Limit.HandshakeTime}; single bytes in between must not extend that time. Pure.
 */
final class SlowConnections {
    private static final int CONNECTIONS = 200;
    private static final Duration INTERVAL = Duration.ofMillis(100);

    /** A configured time longer than this counts as no limit. */
    private static final Duration SENSIBLE_MAX = Duration.ofSeconds(15);

    private SlowConnections() {}

    static void header(AttackContext context) throws IOException {
        run(context, List.of(context.requests().head("GET", "/health/live") + "X-Slow: "), "a");
    }

    /** The incomplete publish is the first or the second request of its connection. */
    static void body(AttackContext context) throws IOException {
        HttpRequests requests = context.requests();
        String publish = requests.publishHead("/attack/slow-body", 4000);
        run(context, List.of(publish, requests.get("/health/live") + publish), "a");
    }

    static void handshakes(AttackContext context) throws IOException {
        String upgrade = context.requests().upgrade();
        run(context, List.of("", "GET / HT", upgrade.substring(0, 60), upgrade.stripTrailing() + "\r\n"), "");
    }

    /** Each connection sends one of the openings and then {@code drip} again and again, nothing if it is empty. */
    private static void run(AttackContext context, List<String> openings, String drip) throws IOException {
        try (ConnectionGroup group = new ConnectionGroup()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                group.add(context.target()::open);
            }
            // The time starts after the last connection: TLS handshakes take a while.
            long begun = System.nanoTime();
            for (int i = 0; i < group.size(); i++) {
                group.all().get(i).send(openings.get(i % openings.size()));
            }
            awaitClosed(context, group, begun, "connections", drip);
        }
    }

    /** Waits until the server has closed all connections of the group, and records how long that took. */
    static void awaitClosed(AttackContext context, ConnectionGroup group, long begun, String what, String drip) {
        long end = begun + timeLimit(context).toNanos();
        int open = group.open();
        while (open > 0 && System.nanoTime() < end) {
            group.all().stream()
                    .filter(connection -> !drip.isEmpty() && !connection.isEnded())
                    .forEach(connection -> connection.send(drip));
            AttackContext.pause(INTERVAL);
            open = group.open();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (open > 0) {
            context.fault(String.format(
                    Locale.ROOT, "%d of %d %s are still open after %.1f s", open, group.size(), what, seconds));
        } else {
            context.note(String.format(Locale.ROOT, "%d %s, all closed within %.1f s", group.size(), what, seconds));
        }
    }

    /** Returns how long a connection may stay open; a configured time that is too long is not waited for. */
    static Duration timeLimit(AttackContext context) {
        Duration limit = context.settings().handshakeTime();
        return limit.compareTo(SENSIBLE_MAX) > 0 ? context.timeout() : limit.plus(context.timeout());
    }
}
