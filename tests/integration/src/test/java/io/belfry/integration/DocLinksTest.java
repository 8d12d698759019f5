package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every relative link of the documents leads to a file that exists, and to a heading or anchor in it. */
final class DocLinksTest {
    private static final Pattern CODE = Pattern.compile("(?ms)^```.*?^```");
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.*)$");
    private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");
    private static final int DOCUMENTS_MIN = 30;

    @Test
    void everyRelativeLinkOfTheDocumentsLeadsSomewhere() throws IOException {
        Set<String> broken = new TreeSet<>();
        List<Path> documents = documents();
        for (Path document : documents) {
            for (String link : links(document)) {
                if (!leadsSomewhere(document, link)) {
                    broken.add(TestMachine.root().relativize(document) + " -> " + link);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(documents).hasSizeGreaterThan(DOCUMENTS_MIN);
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> top = Files.list(TestMachine.root());
                Stream<Path> docs = Files.walk(TestMachine.root().resolve("docs"))) {
            Stream<Path> tuning = Stream.of(TestMachine.root().resolve("tuning/README.md"));
            return Stream.of(top, docs, tuning)
                    .flatMap(paths -> paths)
                    .filter(path -> path.toString().endsWith(".md"))
                    .toList();
        }
    }

    private static List<String> links(Path document) throws IOException {
        return LINK.matcher(CODE.matcher(Files.readString(document)).replaceAll(""))
                .results()
                .map(link -> link.group(1))
                .filter(link -> !link.contains(":"))
                .toList();
    }

    private static boolean leadsSomewhere(Path document, String link) throws IOException {
        String[] parts = link.split("#", 2);
        Path target = parts[0].isEmpty()
                ? document
                : document.resolveSibling(parts[0]).normalize();
        if (!Files.exists(target)) {
            return false;
        }
        return parts.length == 1
                || !target.toString().endsWith(".md")
                || anchors(target).contains(parts[1]);
    }

    private static Set<String> anchors(Path document) throws IOException {
        String text = CODE.matcher(Files.readString(document)).replaceAll("");
        Stream<String> headings = HEADING.matcher(text).results().map(heading -> slug(heading.group(1)));
        Stream<String> anchors = ANCHOR.matcher(text).results().map(anchor -> anchor.group(1));
        return Stream.concat(headings, anchors).collect(Collectors.toSet());
    }

    /** Returns the anchor that a renderer of Markdown makes of a heading: lower case, hyphens for spaces, no punctuation. */
    private static String slug(String heading) {
        return heading.replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1")
                .strip()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                .replace(' ', '-');
    }
}
