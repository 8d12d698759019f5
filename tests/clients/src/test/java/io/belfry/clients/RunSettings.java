package io.belfry.clients;

import io.belfry.testsupport.TestScope;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The settings of a run. Immutable.
 *
 * @param seconds approximate length of the run, {@code -Dbelfry.clients.seconds}
 * @param seed seed of all random choices, {@code -Dbelfry.clients.seed}; it does not repeat the scheduling of threads
 * @param client regular expression for the clients to test, {@code -Dbelfry.clients.client}
 * @param behaviour regular expression for the behaviours to test, {@code -Dbelfry.clients.behaviour}
 */
record RunSettings(int seconds, long seed, String client, String behaviour) {
    private static final int FULL_SECONDS = 40;
    private static final int LONG_SECONDS = 600;

    /** Time of a run besides its random part: start, settling, and the checks that follow. */
    private static final int REST_SECONDS = 25;

    private static final int RANDOM_SECONDS_MIN = 3;

    static RunSettings fromProperties() {
        return new RunSettings(
                Integer.getInteger("belfry.clients.seconds", 28),
                Long.getLong("belfry.clients.seed", ThreadLocalRandom.current().nextInt()),
                System.getProperty("belfry.clients.client", ".*"),
                System.getProperty("belfry.clients.behaviour", ".*"));
    }

    /** Returns the length of each random run. */
    int randomSeconds() {
        return Math.max(RANDOM_SECONDS_MIN, seconds - REST_SECONDS);
    }

    /** Whether each client runs all checks over wires, and checks take their full amount of work. */
    boolean isFull() {
        return seconds >= FULL_SECONDS;
    }

    /**
     * Returns into how many shares the checks over wires are divided. Each client runs one of them, so each check runs over each wire
     * with some of the clients, and the matrix keeps the cells of the others.
     */
    int wireShares() {
        boolean all = isFull() || isPartial() || Boolean.getBoolean("belfry.generate");
        return all ? 1 : TestScope.length(4, 5);
    }

    /** Returns the number of messages that pass a paused client. */
    int pausedMessages() {
        return seconds >= LONG_SECONDS ? 1_000_000 : isFull() ? 20_000 : 5000;
    }

    /** Whether only some checks run, so that no complete matrix results. */
    boolean isPartial() {
        return !client.equals(".*") || !behaviour.equals(".*");
    }
}
