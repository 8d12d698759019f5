package io.belfry.attack.attacks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The requests of smuggling.txt. A line {@code == name: expectation} begins one; its text is what follows, with {@code
 * \r}, {@code \n}, {@code \t}, {@code \0}, {@code \xNN} and {@code \\} for what cannot be seen, {@code {host}} for the
 * server and {@code {authorization}} for the header with a token, where one is needed. Ends of lines in the file are not
 * sent; lines that begin with {@code #} neither. Immutable.
 */
record SmugglingCorpus(List<Case> cases) {
    SmugglingCorpus {
        cases = List.copyOf(cases);
    }

    enum Expected {
        /** An error at most, and the connection is over. */
        REFUSED,
        /** Exactly one answer: a request like any other, to know that the attack itself is well. */
        ONE,
        /** Two requests in a row, both honest. */
        TWO
    }

    /** {@code text} is ISO 8859-1: each character is a byte. */
    record Case(String name, Expected expected, String text) {}

    static SmugglingCorpus load() throws IOException {
        try (InputStream in = SmugglingCorpus.class.getResourceAsStream("smuggling.txt")) {
            if (in == null) {
                throw new IOException("smuggling.txt is not in the jar");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
        }
    }

    static SmugglingCorpus parse(String file) {
        List<Case> cases = new ArrayList<>();
        for (String section : file.split("(?m)^== ", -1)) {
            int end = section.indexOf('\n');
            if (end > 0 && !section.startsWith("#")) {
                cases.add(parse(section.substring(0, end), section.substring(end + 1)));
            }
        }
        return new SmugglingCorpus(cases);
    }

    private static Case parse(String title, String lines) {
        int colon = title.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("a case is written '== name: expectation', not " + title);
        }
        StringBuilder text = new StringBuilder();
        lines.lines().filter(line -> !line.startsWith("#")).forEach(line -> unescape(line, text));
        String expected = title.substring(colon + 1).strip().toUpperCase(Locale.ROOT);
        return new Case(title.substring(0, colon), Expected.valueOf(expected), text.toString());
    }

    private static void unescape(String line, StringBuilder into) {
        int next = 0;
        while (next < line.length()) {
            if (line.charAt(next) != '\\') {
                into.append(line.charAt(next++));
            } else if (line.charAt(next + 1) == 'x') {
                into.append((char) Integer.parseInt(line, next + 2, next + 4, 16));
                next += 4;
            } else {
                into.append(named(line.charAt(next + 1)));
                next += 2;
            }
        }
    }

    private static char named(char letter) {
        return switch (letter) {
            case 'r' -> '\r';
            case 'n' -> '\n';
            case 't' -> '\t';
            case '0' -> '\0';
            default -> letter;
        };
    }
}
