package io.belfry.server.codec;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a request's query, {@code a=1&b=2}, decoded as HTML forms are ({@code +} is a space). They are
 * looked up in the bytes of the head: a query has a handful of parameters and each is asked for once. Immutable.
 */
public final class QueryParameters {
    /** A request without a query. */
    public static final QueryParameters NONE = new QueryParameters(new byte[0], 0, 0);

    private final byte[] head;
    private final int start;
    private final int end;

    /** The range has been validated: it decodes. */
    QueryParameters(byte[] head, int start, int end) {
        this.head = head;
        this.start = start;
        this.end = end;
    }

    /** The first value of this name; null where there is none, empty where the name stands alone. */
    public @Nullable String first(String name) {
        for (int from = start; from < end; from = endOfPair(from) + 1) {
            if (name.equals(nameAt(from))) {
                return valueAt(from);
            }
        }
        return null;
    }

    /** Every value of this name, in order. */
    public List<String> all(String name) {
        List<String> values = new ArrayList<>();
        for (int from = start; from < end; from = endOfPair(from) + 1) {
            if (name.equals(nameAt(from))) {
                values.add(valueAt(from));
            }
        }
        return values;
    }

    /** Every name in order, repeated ones repeatedly: for refusing what is unknown. */
    public List<String> names() {
        List<String> names = new ArrayList<>();
        for (int from = start; from < end; from = endOfPair(from) + 1) {
            if (endOfPair(from) > from) {
                names.add(nameAt(from));
            }
        }
        return names;
    }

    /** A name that stands there twice, this one excepted; null for none. Whoever looks for one value could take either. */
    public @Nullable String repeatedBut(String severalTimes) {
        Set<String> seen = new HashSet<>();
        for (String name : names()) {
            if (!seen.add(name) && !name.equals(severalTimes)) {
                return name;
            }
        }
        return null;
    }

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
        return Objects.requireNonNull(PercentCoding.decode(head, from, to, true), "the parser lets only valid ones by");
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
