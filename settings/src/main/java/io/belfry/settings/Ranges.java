package io.belfry.settings;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A comma list whose elements may contain ranges: {@code /p/s{1..1500000}/-}, {@code 192.168.{10..30}.101}, {@code
 * /x/{foo,bar}}. Elements are generated on access, so the memory needed depends on the text, not on the number of
 * elements. With several braces in one element the last one varies fastest, as in a shell. Immutable.
 */
public final class Ranges implements Iterable<String> {
    private final List<RangePattern> patterns;
    private final long size;

    private Ranges(List<RangePattern> patterns, long size) {
        this.patterns = List.copyOf(patterns);
        this.size = size;
    }

    /** Parses a list, or throws {@link BadValue} with the rule that the text breaks. */
    public static Ranges parse(String text) throws BadValue {
        List<RangePattern> patterns = new ArrayList<>();
        long size = 0;
        for (String element : RangePattern.splitOutsideBraces(text)) {
            RangePattern pattern = RangePattern.parse(element);
            patterns.add(pattern);
            try {
                size = Math.addExact(size, pattern.size());
            } catch (ArithmeticException tooMany) {
                throw new BadValue(RangePattern.TOO_MANY);
            }
        }
        return new Ranges(patterns, size);
    }

    /** Returns the number of elements. */
    public long size() {
        return size;
    }

    /** Returns the element with this index. */
    public String get(long index) {
        StringBuilder text = new StringBuilder();
        appendTo(text, index);
        return text.toString();
    }

    /** Appends the element with this index to {@code text}, for callers that reuse one builder. */
    public void appendTo(StringBuilder text, long index) {
        if (index < 0) throw new IndexOutOfBoundsException(index);
        long rest = index;
        for (RangePattern pattern : patterns) {
            if (rest < pattern.size()) {
                pattern.appendTo(text, rest);
                return;
            }
            rest -= pattern.size();
        }
        throw new IndexOutOfBoundsException(index);
    }

    /** Lists are equal if their patterns are; two spellings of the same elements are not equal. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Ranges ranges && patterns.equals(ranges.patterns);
    }

    @Override
    public int hashCode() {
        return patterns.hashCode();
    }

    @Override
    public Iterator<String> iterator() {
        return new Iterator<>() {
            private long next;

            @Override
            public boolean hasNext() {
                return next < size;
            }

            @Override
            public String next() {
                if (!hasNext()) throw new NoSuchElementException();
                return get(next++);
            }
        };
    }
}
