package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.benchkit.config.BenchKey;
import io.belfry.protocol.Code;
import io.belfry.server.config.ConfigKey;
import io.belfry.server.counter.Counter;
import io.belfry.settings.Key;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks the language rules of CONTRIBUTING.md that a program can check. */
final class LanguageTest {
    private static final int WORDS_MAX = 30;

    /** Matches a sentence that has a clause as its subject. "How" and "When" begin a question, not a statement. */
    private static final Pattern RELATIVE =
            Pattern.compile("(?i)(who|whom|whose|whoever|which|whichever|what|whatever|where|when|how|that)\\b.*");

    /** Matches a row of a table in docs/monitoring.md whose last column explains a name. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(\\w+)` \\|.*\\| ([^|]+\\.) \\|$");

    /** The names of the folders that builds write to. */
    private static final Set<String> BUILT = Set.of("target", "build", "dist", "node_modules");

    record Text(String name, String text) {
        /** Splits the text at the full stops that end a sentence, and not inside {@code Limit.Connections}. */
        Stream<String> sentences() {
            return Stream.of(text.split("(?<=\\.)\\s+(?=[A-Z0-9`])", -1));
        }
    }

    static Stream<List<Text>> texts() throws IOException {
        return Stream.of(
                keys(ConfigKey.values()),
                keys(BenchKey.values()),
                Arrays.stream(Code.values())
                        .map(code -> new Text(code.text(), code.sentence()))
                        .toList(),
                Arrays.stream(Counter.values())
                        .map(counter -> new Text(counter.name(), counter.sentence()))
                        .toList(),
                ROW.matcher(Files.readString(TestMachine.root().resolve("docs/monitoring.md")))
                        .results()
                        .map(LanguageTest::row)
                        .toList());
    }

    private static List<Text> keys(Key... keys) {
        return Arrays.stream(keys)
                .map(key -> new Text(key.keyName(), key.sentence()))
                .toList();
    }

    private static Text row(MatchResult row) {
        return new Text(row.group(1), row.group(2));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void noSentenceBeginsWithARelativePronoun(List<Text> texts) {
        assertThat(texts)
                .isNotEmpty()
                .allSatisfy(text -> assertThat(text.sentences())
                        .as(text.name())
                        .noneMatch(sentence -> RELATIVE.matcher(sentence).matches()));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void noSentenceIsLongerThanThirtyWords(List<Text> texts) {
        assertThat(texts)
                .allSatisfy(text -> assertThat(text.sentences())
                        .as(text.name())
                        .allMatch(sentence -> sentence.split("\\s+", -1).length <= WORDS_MAX));
    }

    @Test
    void everySimpleClassNameIsUsedOnce() throws IOException {
        Map<String, List<Path>> files = sources().stream()
                .filter(LanguageTest::isClass)
                .collect(Collectors.groupingBy(
                        file -> file.getFileName().toString(), TreeMap::new, Collectors.toList()));
        assertThat(files).hasSizeGreaterThan(500);
        assertThat(files.values().stream().filter(same -> same.size() > 1)).isEmpty();
    }

    /** Returns all files outside the folders of built files, in which other modules create and delete files meanwhile. */
    private static List<Path> sources() throws IOException {
        List<Path> sources = new ArrayList<>();
        Files.walkFileTree(TestMachine.root(), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean built = BUILT.contains(folder.getFileName().toString());
                return built ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                sources.add(file);
                return FileVisitResult.CONTINUE;
            }
        });
        return sources;
    }

    private static boolean isClass(Path file) {
        String path = file.toString();
        return path.endsWith(".java") && !path.endsWith("package-info.java");
    }
}
