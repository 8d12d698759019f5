package io.belfry.client;

import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Which server is next: by weight, those that failed lately put aside; when all are, the one that is aside longest.
 * Owner: the client's loop.
 */
final class ServerChoice {
    private final List<ServerAddress> servers;
    private final long asideNanos;
    private final RandomGenerator random;

    /** Until when each is put aside; counts only where {@link #aside} says so, as clocks may start anywhere. */
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

    /** It failed, or asked its clients to go elsewhere; for no less than the time that it named. */
    void putAside(ServerAddress server, long nowNanos, long leastNanos) {
        int i = servers.indexOf(server);
        aside[i] = true;
        untilNanos[i] = nowNanos + Math.max(asideNanos, leastNanos);
    }

    /** Whether there is one that is not put aside. */
    boolean hasOther(long nowNanos) {
        for (int i = 0; i < aside.length; i++) {
            if (!aside[i] || untilNanos[i] - nowNanos <= 0) {
                return true;
            }
        }
        return false;
    }

    void worked(ServerAddress server) {
        aside[servers.indexOf(server)] = false;
    }
}
