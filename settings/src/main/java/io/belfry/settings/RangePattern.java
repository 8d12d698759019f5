package io.belfry.settings;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One element of a list: literal text and braces, in turn. Immutable. */
record RangePattern(List<Brace> braces, long size) {
    static final String TOO_MANY = "stands for more elements than can be counted";
    // 15 digits, so that the sum of the sizes of thousands of alternatives fits into a long.
    private static final Pattern NUMBERS = Pattern.compile("(-?\\d{1,15})\\.\\.(-?\\d{1,15})");

    static RangePattern parse(String text) throws BadValue {
        if (text.isEmpty()) throw new BadValue("has an empty element");
        List<Brace> braces = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int open = text.indexOf('{', from);
            int literalEnd = open < 0 ? text.length() : open;
            if (text.substring(from, literalEnd).indexOf('}') >= 0) throw new BadValue("has a } without a {");
            if (literalEnd > from) braces.add(new Brace(List.of(new Word(text.substring(from, literalEnd)))));
            if (open < 0) break;
            int close = text.indexOf('}', open);
            if (close < 0) throw new BadValue("has a { without a }");
            braces.add(Brace.parse(text.substring(open + 1, close)));
            from = close + 1;
        }
        return new RangePattern(List.copyOf(braces), product(braces));
    }

    /** Splits a list at its commas, except for those inside braces. */
    static List<String> splitOutsideBraces(String text) {
        List<String> elements = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '{') depth++;
            else if (c == '}') depth--;
            else if (c == ',' && depth <= 0) {
                elements.add(text.substring(from, i).strip());
                from = i + 1;
            }
        }
        elements.add(text.substring(from).strip());
        return elements;
    }

    /** Appends the element with this index; the last brace varies fastest. */
    void appendTo(StringBuilder text, long index) {
        long rest = index;
        long below = size;
        for (Brace brace : braces) {
            below /= brace.size();
            brace.appendTo(text, rest / below);
            rest %= below;
        }
    }

    private static long product(List<Brace> braces) throws BadValue {
        long product = 1;
        for (Brace brace : braces) {
            try {
                product = Math.multiplyExact(product, brace.size());
            } catch (ArithmeticException tooMany) {
                throw new BadValue(TOO_MANY);
            }
        }
        return product;
    }

    /** One brace with its alternatives; literal text is a brace with one alternative. */
    record Brace(List<Part> parts, long size) {
        Brace(List<Part> parts) {
            this(parts, parts.stream().mapToLong(Part::size).sum());
        }

        static Brace parse(String inside) throws BadValue {
            if (inside.indexOf('{') >= 0) throw new BadValue("has a { inside a {");
            List<Part> parts = new ArrayList<>();
            for (String part : Arrays.asList(inside.split(",", -1))) parts.add(Part.parse(part.strip()));
            return new Brace(List.copyOf(parts));
        }

        void appendTo(StringBuilder text, long index) {
            long rest = index;
            for (Part part : parts) {
                if (rest < part.size()) {
                    part.appendTo(text, rest);
                    return;
                }
                rest -= part.size();
            }
        }
    }

    /** One alternative of a brace: a word, or a range of numbers. */
    sealed interface Part {
        long size();

        void appendTo(StringBuilder text, long index);

        static Part parse(String text) throws BadValue {
            if (text.isEmpty()) throw new BadValue("has an empty alternative in { }");
            Matcher numbers = NUMBERS.matcher(text);
            if (numbers.matches()) return Numbers.of(numbers.group(1), numbers.group(2));
            if (text.contains("..")) throw new BadValue("has a range whose ends are not numbers; write {1..10}");
            return new Word(text);
        }
    }

    /** A fixed word. */
    record Word(String word) implements Part {
        @Override
        public long size() {
            return 1;
        }

        @Override
        public void appendTo(StringBuilder text, long index) {
            text.append(word);
        }
    }

    /**
     * A range of numbers that counts up or down. If either end has a leading zero, all numbers are padded to the longer
     * end.
     */
    record Numbers(long from, long to, int width) implements Part {
        static Numbers of(String from, String to) {
            boolean padded = hasLeadingZero(from) || hasLeadingZero(to);
            return new Numbers(
                    Long.parseLong(from), Long.parseLong(to), padded ? Math.max(from.length(), to.length()) : 0);
        }

        @Override
        public long size() {
            return Math.abs(to - from) + 1;
        }

        @Override
        public void appendTo(StringBuilder text, long index) {
            long number = to >= from ? from + index : from - index;
            if (width == 0) text.append(number);
            else text.append(("%0" + width + "d").formatted(number));
        }

        private static boolean hasLeadingZero(String digits) {
            String unsigned = digits.startsWith("-") ? digits.substring(1) : digits;
            return unsigned.length() > 1 && unsigned.startsWith("0");
        }
    }
}
