package io.belfry.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class MainTest {
    /** What a command line came to. */
    record Ran(int code, String out, String err) {
        static Ran of(String commandLine) {
            return of(commandLine.strip().split("\\s+"));
        }

        static Ran of(String... words) {
            StringWriter out = new StringWriter();
            StringWriter err = new StringWriter();
            CommandLine line = Main.line();
            line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
            int code = line.execute(words);
            return new Ran(code, out.toString(), err.toString());
        }

        JsonNode json() throws IOException {
            return new ObjectMapper().readTree(out);
        }
    }

    private static final String NODE = " --cores 16 --memory 128GB --network 25Gbit --open-files 8M";

    @Test
    void aPlanNamesNodesBrokersAndWhatBounds() throws IOException {
        Ran ran = Ran.of("--clients 60000000 --rate 1/min --size 512 --json" + NODE);
        assertThat(ran.code()).as(ran.err()).isZero();
        JsonNode plan = ran.json();
        assertThat(plan.path("nodes").asLong()).isGreaterThan(2);
        assertThat(plan.path("brokers").asLong()).isGreaterThanOrEqualTo(3);
        assertThat(plan.path("question").path("publishedPerSecond").asDouble()).isEqualTo(1e6);
        assertThat(plan.path("node")).hasSize(6).allSatisfy(each -> {
            assertThat(each.path("needed").asDouble())
                    .isLessThanOrEqualTo(each.path("limit").asDouble());
            assertThat(each.path("nodesAlone").asLong())
                    .isLessThanOrEqualTo(plan.path("nodes").asLong());
        });
        assertThat(Ran.of("--clients 60M" + NODE).out())
                .contains("bound by   " + plan.path("bound").asText())
                .doesNotContain("assumed");
    }

    @Test
    void whatIsAssumedIsSaid(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("coefficients.json");
        Files.writeString(file, Ran.of("coefficients --json").out().replaceFirst("\"measured\"", "\"assumed\""));
        assertThat(Ran.of("--clients 1M --coefficients " + file + NODE).out()).contains("not measured but assumed: ");
    }

    @Test
    void explainHasEachFormulaInNamesAndNumbers() {
        assertThat(Ran.of("--clients 60M --explain" + NODE).out())
                .contains("sessions / ping x cpu-ping = ")
                .contains("published x cpu-log-read = 1,000,000/s x 2.5 us");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "; bad-value",
                "--clients none; bad-value",
                "--clients 1M --rate fast; bad-value",
                "--clients 1M --size 1PB; bad-value",
                "--clients 1M --fan-out 2M; bad-value",
                "--clients 1M --tls 150%; bad-value",
                "--clients 1M --cluster maybe; bad-value",
                "--clients 1M --cores 0; bad-value",
                "--clients 1M --survive -1; bad-value",
                "--clients 1M --fan-out 10 --subjects 10; contradiction",
                "--clients 1M --fan-out 10 --rate 1/s --publish-rate 1/s; contradiction",
                "--clients 1M --survive-brokers 3; contradiction",
                "--clients 1M --busy 90% --peak 50%; contradiction",
                "--clients 1M --set cpu-pong=1; unknown-coefficient",
                "--clients 1M --coefficients does-not-exist.json; bad-coefficients",
                "simulate --by magic; bad-value",
                "simulate --nodes 3 --fail 3; contradiction",
                "simulate --nodes 3 --fail 1 --waves 2; contradiction",
                "simulate --nodes 2M; bad-value"
            })
    void nonsenseIsASentenceBehindAStableCode(String arguments, String code) {
        Ran ran = arguments == null ? Ran.of() : Ran.of(arguments);
        assertThat(ran.err()).startsWith("plan: " + code + ": ").hasLineCount(1);
        assertThat(ran.code()).isEqualTo(ExitCode.WRONG_USAGE);
    }

    @Test
    void whatNoNumberOfNodesDoesIsNoWrongUsage() {
        Ran ran = Ran.of("--clients 60M --cores 2 --memory 8GB --network 1Gbit");
        assertThat(ran.err()).startsWith("plan: does-not-fit: ");
        assertThat(ran.code()).isEqualTo(ExitCode.DOES_NOT_HOLD);
    }

    @Test
    void ofRateFanOutAndPublishRateTwoAreEnough() throws IOException {
        assertThat(Ran.of("--clients 1M --rate 1/s --publish-rate 1k/s --json" + NODE)
                        .json()
                        .path("question")
                        .path("fanOut")
                        .asDouble())
                .isEqualTo(1000);
        assertThat(Ran.of("--clients 1M --fan-out all --publish-rate 2/s --json" + NODE)
                        .json()
                        .path("question")
                        .path("perClientPerSecond")
                        .asDouble())
                .isEqualTo(2);
        assertThat(Ran.of("--clients 1M --subjects 1k --rate 1/min --json" + NODE)
                        .json()
                        .path("question")
                        .path("fanOut")
                        .asDouble())
                .isEqualTo(1000);
    }

    @Test
    void aSimulationEndsWithItsVerdict() throws IOException {
        String small = "simulate --sessions 1M --nodes 20 --fail 2 --seed 3 --cores 2 --memory 8GB --network 1Gbit";
        assertThat(Ran.of(small).code()).isZero();
        assertThat(Ran.of(small).out()).contains("HELD: ");
        Ran herd = Ran.of(small + " --jitter none --max-accepts 20k");
        assertThat(herd.code()).isEqualTo(ExitCode.DOES_NOT_HOLD);
        assertThat(herd.out()).contains("EXCEEDED: 18 nodes got more newcomers at once than they take");
        assertThat(Ran.of(small + " --max-sessions 51k").out()).contains("were to hold more sessions than they can");
        JsonNode json = Ran.of(small + " --json").json();
        assertThat(json.path("verdict").asText()).isEqualTo("held");
        assertThat(json.path("backAfterSeconds").path("all").asDouble()).isBetween(0.4, 4.0);
    }

    @Test
    void coefficientsCanBeListedChangedAndGivenBack(@TempDir Path folder) throws IOException {
        assertThat(Ran.of("coefficients").out()).contains("cpu-delivery").contains("docs/benchmarks.md");
        Path file = folder.resolve("mine.json");
        Files.writeString(file, Ran.of("coefficients --json").out().replace("\"value\" : 14.0", "\"value\" : 28.0"));
        String question = "--clients 1M --explain" + NODE;
        assertThat(Ran.of(question).out()).contains("/ 25 s x 14 us");
        assertThat(Ran.of(question + " --coefficients " + file).out()).contains("/ 25 s x 28 us");
        assertThat(Ran.of(question + " --set cpu-ping=7").out()).contains("/ 25 s x 7 us");
    }

    @Test
    void pricesAreAddedUp() throws IOException {
        JsonNode plan = Ran.of("--clients 60M --node-price 100 --broker-price 10 --json" + NODE)
                .json();
        assertThat(plan.path("monthlyPrice").asDouble())
                .isEqualTo(plan.path("nodesInAll").asLong() * 100.0
                        + plan.path("brokersInAll").asLong() * 10.0);
    }
}
