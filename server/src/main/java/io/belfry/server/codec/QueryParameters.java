package io.belfry.server.codec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a query, {@code a=1&b=2}, decoded as HTML forms are ({@code +} is a space). Each lookup scans the
 * bytes of the head, because a query has few parameters and each is read once. Immutable.
 */
public final class QueryParameters {
    /** The parameters of a request without a query. */
    public static final QueryParameters NONE = new QueryParameters(new byte[0], 0, 0);

    private final byte[] head;
    private final int start;
    private final int end;

    /** Creates the parameters of a range that was validated, so decoding cannot fail. */
    QueryParameters(byte[] head, int start, int end) {
        this.head = head;
        this.start = start;
        this.end = end;
    }

    /** Returns the first value of this name; null if the name is absent, empty if the name has no value. */
    public @Nullable String first(String name) {
        for (int from = start; from < end; from = endOfPair(from) + 1) {
            if (name.equals(nameAt(from))) {
                return valueAt(from);
            }
        }
        return null;
    }

    /** Returns every value of this name, in order. */
    public List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (int from = start; from < end; from = endOfPair(from) + 1) {
            if (name.equals(nameAt(from))) {
                values.add(valueAt(from));
            }
        }
        return values;
    }

    /** Returns every name in order, including repetitions, so that unknown names can be rejected. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        for (int from = start; from < end; from = endOfPair(from) + 1) {
            if (endOfPair(from) > from) {
                names.add(nameAt(from));
            }
        }
        return names;
    }

    /**
     * Returns a repeated name that is not in {@code severalTimes}, or null. A repeated single-value parameter is
     * ambiguous.
     */
    public @Nullable String repeatedBut(Set<String> severalTimes) {
        Set<String> seen = new HashSet<>();
        for (String name : names()) {
            if (!seen.add(name) && !severalTimes.contains(name)) {
                return name;
            }
        }
        return null;
    }

    /** Returns whether there are no parameters. */
    public boolean isEmpty() {
        return start == end;
    }

    private String nameAt(int from) {
        return decoded(from, endOfName(from));
    }

    private String valueAt(int from) {
        int endOfPair = endOfPair(from);
        return decoded(Math.min(endOfName(from) + 1, endOfPair), endOfPair);
    }

    private String decoded(int from, int to) {
        return Objects.requireNonNull(
                PercentCoding.decode(head, from, to, true), "the parser accepts only valid queries");
    }

    private int endOfName(int from) {
        int at = from;
        while (at < end && head[at] != '&' && head[at] != '=') {
            at++;
        }
        return at;
    }

    private int endOfPair(int from) {
        int at = from;
        while (at < end && head[at] != '&') {
            at++;
        }
        return at;
    }
}
