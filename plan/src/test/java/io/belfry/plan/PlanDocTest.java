package io.belfry.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What docs/plan.md and docs/cluster.md show is what the commands in it print. {@code -Dbelfry.generate=true} writes it anew.
 *
 * <p>A block begins with {@code $ bin/belfry plan ...}, which may go on behind a backslash; the rest is its output.
 */
class PlanDocTest {
    private static final Pattern BLOCK =
            Pattern.compile("```\n(\\$ bin/belfry plan((?:[^\n]*\\\\\n)*[^\n]*)\n)(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @CsvSource({"plan, 5", "cluster, 1"})
    void theExamplesPrintWhatThePageShows(String name, int least) throws IOException {
        Path file = Path.of("../docs/" + name + ".md");
        String page = Files.readString(file);
        Matcher blocks = BLOCK.matcher(page);
        StringBuilder anew = new StringBuilder();
        int found = 0;
        while (blocks.find()) {
            MainTest.Ran ran = MainTest.Ran.of(blocks.group(2).replace("\\\n", " "));
            String block = "```\n" + blocks.group(1) + ran.out() + ran.err() + "```";
            blocks.appendReplacement(anew, Matcher.quoteReplacement(block));
            found++;
        }
        blocks.appendTail(anew);
        if (Boolean.getBoolean("belfry.generate")) {
            Files.writeString(file, anew);
        }
        assertThat(found).isGreaterThanOrEqualTo(least);
        assertThat(Files.readString(file)).isEqualTo(anew.toString());
    }
}
