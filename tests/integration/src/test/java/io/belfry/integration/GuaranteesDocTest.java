package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that every test named in docs/guarantees.md exists. */
final class GuaranteesDocTest {
    private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w*Test)\\.(\\w+)`");
    private static final int PROMISES_MIN = 30;

    @Test
    void everyTestNamedInTheGuaranteesExists() {
        List<Path> sources = sources();
        int named = 0;
        for (Matcher test = NAMED.matcher(text(TestMachine.root().resolve("docs/guarantees.md")));
                test.find();
                named++) {
            String file = test.group(1) + ".java";
            String method = " void " + test.group(2) + "(";
            assertThat(sources)
                    .as(test.group())
                    .anyMatch(source -> source.endsWith(file) && text(source).contains(method));
        }
        assertThat(named).isGreaterThan(PROMISES_MIN);
    }

    private static List<Path> sources() {
        try (Stream<Path> all = Files.find(
                TestMachine.root(), 20, (path, attributes) -> path.toString().endsWith("Test.java"))) {
            return all.filter(path -> path.toString().contains("/src/test/")).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
