package io.belfry.attack.attacks;

import io.belfry.benchkit.measure.Texts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * Many connections that start a request and do not complete it, are reset early, or stay idle. The server must close
 * incomplete ones after {@code Limit.HandshakeTime}; single bytes in between must not extend that time. Pure.
 */
final class ConnectionFloods {
    private static final int SLOW = 200;
    private static final Duration DRIP_INTERVAL = Duration.ofMillis(100);

    /** A configured time longer than this counts as no limit. */
    private static final Duration SENSIBLE_MAX = Duration.ofSeconds(15);

    private static final double RESETS_PER_SECOND = 400;
    private static final double OPENS_PER_SECOND = 1000;
    private static final int IDLE = 1000;

    /** Fewer with TLS, because the engines cost the attacker more than the server. */
    private static final int IDLE_ENCRYPTED = 300;

    private ConnectionFloods() {}

    static void header(AttackContext context) throws IOException {
        slow(context, List.of(context.requests().head("GET", "/health/live") + "X-Slow: "), "a");
    }

    /** The incomplete publish is the first or the second request of its connection. */
    static void body(AttackContext context) throws IOException {
        HttpRequests requests = context.requests();
        String publish = requests.publishHead("/attack/slow-body", 4000);
        slow(context, List.of(publish, requests.get("/health/live") + publish), "a");
    }

    static void handshakes(AttackContext context) throws IOException {
        String upgrade = context.requests().upgrade();
        slow(context, List.of("", "GET / HT", upgrade.substring(0, 60), upgrade.stripTrailing() + "\r\n"), "");
    }

    /** Each connection sends one of the openings and then {@code drip} again and again, nothing if it is empty. */
    private static void slow(AttackContext context, List<String> openings, String drip) throws IOException {
        try (ConnectionGroup group = new ConnectionGroup()) {
            group.add(SLOW, context.target()::open);
            // The time starts after the last connection: TLS handshakes take a while.
            long begun = System.nanoTime();
            for (int i = 0; i < group.size(); i++) {
                group.connections.get(i).send(openings.get(i % openings.size()));
            }
            awaitClosed(context, group, begun, "connections", drip);
        }
    }

    /** Waits until the server has closed all connections of the group, and records how long that took. */
    static void awaitClosed(AttackContext context, ConnectionGroup group, long begun, String what, String drip) {
        long end = begun + timeLimit(context).toNanos();
        int open = group.open();
        while (open > 0 && System.nanoTime() < end) {
            group.connections.stream()
                    .filter(connection -> !drip.isEmpty() && !connection.isEnded())
                    .forEach(connection -> connection.send(drip));
            AttackContext.pause(DRIP_INTERVAL);
            open = group.open();
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (open > 0) {
            context.fault(Texts.format("%d of %d %s are still open after %.1f s", open, group.size(), what, seconds));
        } else {
            context.note(Texts.format("%d %s, all closed within %.1f s", group.size(), what, seconds));
        }
    }

    /** Returns how long a connection may stay open; a configured time that is too long is not waited for. */
    static Duration timeLimit(AttackContext context) {
        Duration limit = context.settings().handshakeTime();
        return limit.compareTo(SENSIBLE_MAX) > 0 ? context.timeout() : limit.plus(context.timeout());
    }

    /** Resets a connection after each byte; ends with the last byte, even if the attack's time is over before. */
    static void resets(AttackContext context) throws IOException {
        int count = 0;
        if (context.settings().encrypted()) {
            count += everyByte(context, TlsLayer.hello(), context.target()::openBare);
        }
        count += everyByte(context, ascii(context.requests().upgrade()), context.target()::open);
        byte[] publish = ascii(context.requests().publish("/attack/reset", "x".repeat(20)));
        count += everyByte(context, publish, context.target()::open);
        count += everyByte(context, AttackFrames.publish("/attack/reset", "x"), context::session);
        context.note(count + " connections reset");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static int everyByte(AttackContext context, byte[] bytes, ConnectionGroup.Opening opening)
            throws IOException {
        AttackRate rate = context.rate(RESETS_PER_SECOND);
        for (int length = 0; length <= bytes.length; length++) {
            rate.next();
            AttackConnection connection = opening.open();
            connection.send(Arrays.copyOf(bytes, length));
            connection.reset();
        }
        return bytes.length + 1;
    }

    static void idle(AttackContext context) {
        int wanted = context.settings().encrypted() ? IDLE_ENCRYPTED : IDLE;
        try (ConnectionGroup group = new ConnectionGroup()) {
            AttackRate rate = context.rate(OPENS_PER_SECOND);
            while (group.size() + group.refused < wanted && rate.next()) {
                group.add(rate.count() % 4 == 0 ? () -> keptAlive(context) : context::session);
            }
            while (context.hasTimeLeft()) {
                group.open();
                AttackContext.pause(Duration.ofMillis(50));
            }
            context.note(group.size() + " idle connections, " + group.refused + " refused, "
                    + (group.size() - group.open()) + " closed by the server");
        }
    }

    private static AttackConnection keptAlive(AttackContext context) throws IOException {
        AttackConnection connection = context.target().open();
        connection.send(context.requests().get("/health/live"));
        connection.awaitHead(context.timeout());
        return connection;
    }
}
