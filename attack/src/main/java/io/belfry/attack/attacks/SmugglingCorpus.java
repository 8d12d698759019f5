package io.belfry.attack.attacks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Reads the requests of smuggling.txt. A line {@code == name: expectation} begins a case and its text follows. In the text,
 * the escapes of Java ({@code \r}, {@code \n}, {@code \t}, octal {@code \NNN}) stand for bytes, {@code {host}} for the server
 * and {@code {authorization}} for the header with a token, if one is needed. Line ends of the file and lines that begin with
 * {@code #} are not sent. Pure.
 */
final class SmugglingCorpus {
    private SmugglingCorpus() {}

    /** The reaction that a case must get. */
    enum Expected {
        /** At most an error response, and the end of the connection. */
        REFUSED,
        /** One response: a valid request, which shows that the attack itself works. */
        ONE,
        /** Two responses: two valid requests. */
        TWO
    }

    /** One request; {@code text} is ISO 8859-1, so each character is a byte. */
    record Case(String name, Expected expected, String text) {}

    static List<Case> load() throws IOException {
        try (InputStream in = SmugglingCorpus.class.getResourceAsStream("smuggling.txt")) {
            if (in == null) {
                throw new IOException("smuggling.txt is missing from the jar");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
        }
    }

    static List<Case> parse(String file) {
        List<Case> cases = new ArrayList<>();
        for (String section : file.split("(?m)^== ", -1)) {
            int end = section.indexOf('\n');
            if (end > 0 && !section.startsWith("#")) {
                cases.add(parse(section.substring(0, end), section.substring(end + 1)));
            }
        }
        return cases;
    }

    private static Case parse(String title, String lines) {
        int colon = title.lastIndexOf(':');
        if (colon < 0) {
            throw new IllegalArgumentException("a case begins with '== name: expectation', not '" + title + "'");
        }
        StringBuilder text = new StringBuilder();
        lines.lines().filter(line -> !line.startsWith("#")).forEach(line -> text.append(line.translateEscapes()));
        String expected = title.substring(colon + 1).strip().toUpperCase(Locale.ROOT);
        return new Case(title.substring(0, colon), Expected.valueOf(expected), text.toString());
    }
}
