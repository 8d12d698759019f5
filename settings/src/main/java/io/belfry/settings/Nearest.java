package io.belfry.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that is most similar to a misspelt one. Pure. */
final class Nearest {
    private Nearest() {}

    /**
     * Returns the name with the smallest edit distance, without regard to case; of several, the first. Returns empty if
     * more than half of the written characters would have to change, because such a suggestion misleads.
     */
    static Optional<String> to(String written, Collection<String> names) {
        String lower = written.toLowerCase(Locale.ROOT);
        return names.stream()
                .min(Comparator.comparingInt(name -> distance(lower, name.toLowerCase(Locale.ROOT))))
                .filter(name -> distance(lower, name.toLowerCase(Locale.ROOT)) <= written.length() / 2);
    }

    /**
     * Returns the optimal string alignment distance: the number of insertions, deletions, replacements and swaps of
     * neighbours.
     */
    static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) d[i][0] = i;
        for (int j = 0; j <= b.length(); j++) d[0][j] = j;
        for (int i = 1; i <= a.length(); i++) {
            for (int j = 1; j <= b.length(); j++) {
                int replaced = d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                d[i][j] = Math.min(replaced, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
                boolean swapped =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                if (swapped) d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
        return d[a.length()][b.length()];
    }
}
