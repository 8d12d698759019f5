package io.belfry.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the commands that documents show and compares the output. {@code -Dbelfry.generate=true} writes the documents anew.
 *
 * <p>A block begins with {@code $ bin/belfry plan ...}, continued after a backslash; the rest is its output.
 */
class PlanDocTest {
    private static final Pattern BLOCK =
            Pattern.compile("```\n(\\$ bin/belfry plan((?:[^\n]*\\\\\n)*[^\n]*)\n)(.*?)```", Pattern.DOTALL);

    static Stream<Arguments> pages() {
        return TestScope.variants(List.of(
                arguments("plan", 2),
                arguments("cluster", 1),
                arguments("benchmarks/2026-11-22-plan-model/README", 5)));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void documentedExamplesPrintTheShownOutput(String name, int least) throws IOException {
        Path file = Path.of("../docs/" + name + ".md");
        String page = Files.readString(file);
        Matcher examples = BLOCK.matcher(page);
        StringBuilder anew = new StringBuilder();
        int found = 0;
        while (examples.find()) {
            PlanCommandTest.Ran ran = PlanCommandTest.Ran.of(examples.group(2).replace("\\\n", " "));
            String block = "```\n" + examples.group(1) + ran.out() + ran.err() + "```";
            examples.appendReplacement(anew, Matcher.quoteReplacement(block));
            found++;
        }
        examples.appendTail(anew);
        if (Boolean.getBoolean("belfry.generate")) {
            Files.writeString(file, anew);
        }
        assertThat(found).isGreaterThanOrEqualTo(least);
        assertThat(Files.readString(file)).isEqualTo(anew.toString());
    }
}
