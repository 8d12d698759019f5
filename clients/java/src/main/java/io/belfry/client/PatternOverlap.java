package io.belfry.client;

/** Finds whether a subject can match two patterns. Pure. */
final class PatternOverlap {
    private static final String ONE = "*";
    private static final String REST = "**";

    private PatternOverlap() {}

    /** Whether a subject can match both patterns. */
    static boolean exists(String first, String second) {
        String[] a = first.split("/", -1);
        String[] b = second.split("/", -1);
        for (int i = 0; i < Math.min(a.length, b.length); i++) {
            if (a[i].equals(REST) || b[i].equals(REST)) {
                return true;
            }
            if (!a[i].equals(ONE) && !b[i].equals(ONE) && !a[i].equals(b[i])) {
                return false;
            }
        }
        return a.length == b.length;
    }
}
