package io.belfry.settings;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A comma list whose elements may hold ranges: {@code /p/s{1..1500000}/-}, {@code 192.168.{10..30}.101},
 * {@code /x/{foo,bar}}. Indexable without being spelt out: it costs what was written, not what it stands for. With
 * several braces in one element the last one varies fastest, as in a shell. Immutable.
 */
public final class Ranges implements Iterable<String> {
    private final List<RangePattern> patterns;
    private final long size;

    private Ranges(List<RangePattern> patterns, long size) {
        this.patterns = List.copyOf(patterns);
        this.size = size;
    }

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

    public long size() {
        return size;
    }

    public String get(long index) {
        StringBuilder text = new StringBuilder();
        appendTo(text, index);
        return text.toString();
    }

    /** As {@link #get}, for callers that reuse one builder. */
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

    /** Equal are lists that are written alike; different ways to write the same elements are not looked into. */
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
