package io.belfry.attack.attacks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;

/** Many connections that are reset early or stay idle. Pure. */
final class ConnectionFloods {
    private static final double RESETS_PER_SECOND = 400;
    private static final double OPENS_PER_SECOND = 1000;
    private static final int IDLE = 1000;

    /** Fewer with TLS, because the engines cost the attacker more than the server. */
    private static final int IDLE_ENCRYPTED = 300;

    private ConnectionFloods() {}

    /** Resets a connection after each byte; ends with the last byte, even if the attack's time is over before. */
    static void resets(AttackContext context) throws IOException {
        int count = 0;
        if (context.settings().encrypted()) {
            count += everyByte(context, AttackTarget.hello(), context.target()::openBare);
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
            while (group.size() + group.refused() < wanted && rate.next()) {
                group.add(rate.count() % 4 == 0 ? () -> keptAlive(context) : context::session);
            }
            while (context.hasTimeLeft()) {
                group.open();
                AttackContext.pause(Duration.ofMillis(50));
            }
            context.note(group.size() + " idle connections, " + group.refused() + " refused, "
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
