package io.belfry.client;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Chooses the next server at random, by weight. Servers that failed recently are avoided; if all are, the one that was
 * avoided the longest is next. Owner: the client's loop.
 */
final class ServerChoice {
    private final List<ServerAddress> servers;
    private final long asideNanos;
    private final RandomGenerator random;

    /**
     * The end of the avoidance of each server; valid only while {@link #aside} is true, because clocks may start
     * anywhere.
     */
    private final long[] untilNanos;

    private final boolean[] aside;

    ServerChoice(List<ServerAddress> servers, long asideNanos, RandomGenerator random) {
        this.servers = List.copyOf(servers);
        this.asideNanos = asideNanos;
        this.random = random;
        this.untilNanos = new long[servers.size()];
        this.aside = new boolean[servers.size()];
    }

    ServerAddress next(long nowNanos) {
        int weights = 0;
        for (int i = 0; i < aside.length; i++) {
            aside[i] = aside[i] && untilNanos[i] - nowNanos > 0;
            weights += aside[i] ? 0 : servers.get(i).weight();
        }
        return weights == 0 ? asideLongest() : byWeight(random.nextInt(weights));
    }

    private ServerAddress byWeight(int pick) {
        int left = pick;
        for (int i = 0; i < aside.length; i++) {
            left -= aside[i] ? 0 : servers.get(i).weight();
            if (left < 0) {
                return servers.get(i);
            }
        }
        throw new IllegalStateException("the pick was beyond the weights");
    }

    private ServerAddress asideLongest() {
        int longest = 0;
        for (int i = 1; i < aside.length; i++) {
            longest = untilNanos[i] - untilNanos[longest] < 0 ? i : longest;
        }
        return servers.get(longest);
    }

    /** Avoids a server that failed or asked its clients to leave; at least for the time that the server asked for. */
    void putAside(ServerAddress server, long nowNanos, long leastNanos) {
        int i = servers.indexOf(server);
        aside[i] = true;
        untilNanos[i] = nowNanos + Math.max(asideNanos, leastNanos);
    }

    /** Whether a server is available that has not failed recently. */
    boolean hasOther(long nowNanos) {
        for (int i = 0; i < aside.length; i++) {
            if (!aside[i] || untilNanos[i] - nowNanos <= 0) {
                return true;
            }
        }
        return false;
    }

    /** Ends the avoidance of a server, because a connection to it succeeded. */
    void worked(ServerAddress server) {
        aside[servers.indexOf(server)] = false;
    }
}
