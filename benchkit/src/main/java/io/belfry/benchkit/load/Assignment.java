package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Require;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Assigns subjects to clients. Immutable; the same seed gives the same assignment.
 *
 * @param subjects number of subjects
 * @param perClient number of different subjects for each client
 * @param oneToOne client i gets subject i, or the i-th group if there are several per client; otherwise at random
 */
public record Assignment(int subjects, int perClient, boolean oneToOne, long seed) {
    public Assignment {
        boolean enough = perClient >= 1 && perClient <= subjects;
        Require.that(enough, "SubjectsPerClient = " + perClient + " exceeds the number of Subjects, " + subjects);
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
        return oneToOne
                ? IntStream.range(client * perClient, (client + 1) * perClient).toArray()
                : atRandom(client).stream().mapToInt(Integer::intValue).toArray();
    }

    /** Floyd's sampling needs one draw per pick, whatever the share of the subjects is. */
    private Set<Integer> atRandom(int client) {
        SplittableRandom random = new SplittableRandom(seed + client * 0x9E3779B97F4A7C15L);
        Set<Integer> picked = new LinkedHashSet<>();
        for (int last = subjects - perClient; last < subjects; last++) {
            if (!picked.add(random.nextInt(last + 1))) {
                picked.add(last);
            }
        }
        return picked;
    }
}
