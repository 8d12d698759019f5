package io.belfry.benchkit.load;

import java.util.SplittableRandom;

/**
 * Assigns subjects to clients. Immutable; the same seed gives the same assignment.
 *
 * @param subjects number of subjects
 * @param perClient number of different subjects for each client
 * @param oneToOne client i gets subject i, or the i-th group if there are several per client; otherwise at random
 */
public record Assignment(int subjects, int perClient, boolean oneToOne, long seed) {
    public Assignment {
        if (perClient < 1 || perClient > subjects) {
            throw new IllegalArgumentException(
                    "SubjectsPerClient = " + perClient + " exceeds the number of Subjects, " + subjects);
        }
    }

    /** Throws {@link IllegalArgumentException} if OneToOne has too few subjects for {@code clients}. */
    public void mustReach(int clients) {
        if (oneToOne && (long) clients * perClient > subjects) {
            throw new IllegalArgumentException("OneToOne = true needs " + (long) clients * perClient + " Subjects for "
                    + clients + " Clients, there are " + subjects);
        }
    }

    /** Returns the subjects of a client, all different. */
    public int[] of(int client) {
        int[] picked = new int[perClient];
        if (oneToOne) {
            for (int i = 0; i < perClient; i++) {
                picked[i] = client * perClient + i;
            }
        } else {
            pickAtRandom(client, picked);
        }
        return picked;
    }

    /** Floyd's sampling needs one draw per pick, whatever the share of the subjects is. */
    private void pickAtRandom(int client, int[] picked) {
        SplittableRandom random = new SplittableRandom(seed + client * 0x9E3779B97F4A7C15L);
        for (int i = 0; i < perClient; i++) {
            int last = subjects - perClient + i;
            int drawn = random.nextInt(last + 1);
            picked[i] = contains(picked, i, drawn) ? last : drawn;
        }
    }

    private static boolean contains(int[] picked, int count, int subject) {
        for (int i = 0; i < count; i++) {
            if (picked[i] == subject) {
                return true;
            }
        }
        return false;
    }
}
