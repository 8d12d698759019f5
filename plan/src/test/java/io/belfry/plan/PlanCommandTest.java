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
import picocli.CommandLine.ExitCode;

class PlanCommandTest {
    /** The exit code and output of a command line. */
    record Ran(int code, String out, String err) {
        static Ran of(String commandLine) {
            return of(commandLine.strip().split("\\s+"));
        }

        static Ran of(String... words) {
            StringWriter out = new StringWriter();
            StringWriter err = new StringWriter();
            CommandLine line = PlanMain.line();
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
    void aPlanHasNodesBrokersAndItsBound() throws IOException {
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
    void assumedCoefficientsAreNamed(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("coefficients.json");
        Files.writeString(file, Ran.of("coefficients --json").out().replaceFirst("\"measured\"", "\"assumed\""));
        assertThat(Ran.of("--clients 1M --coefficients " + file + NODE).out())
                .contains("coefficients not measured but assumed: ");
    }

    @Test
    void explainPrintsFormulasWithNamesAndNumbers() {
        assertThat(Ran.of("--clients 60M --explain" + NODE).out())
                .contains("sessions / ping x cpu-ping = ")
                .contains("published x cpu-log-read = 1,000,000/s x 2.5 us");
    }

    /** Only packet-data is in no formula: it determines the number of packets. */
    @Test
    void everyCoefficientIsPartOfAFormula() throws IOException {
        String all = "--clients 60M --tls 50% --http 20% --json-sessions 50% --subjects-per-client 2 --explain" + NODE;
        String formulas = Ran.of(all).out();
        assertThat(Ran.of("coefficients --json").json().path("coefficients"))
                .extracting(each -> each.path("name").asText())
                .filteredOn(name -> !name.equals("packet-data"))
                .allSatisfy(name -> assertThat(formulas).contains(name));
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
                "simulate --nodes 2M; bad-value",
                "--clients 1M --memory 0; bad-value",
                "--clients 1M --ping 0; bad-value",
                "--clients 1M --subject-bytes 1; bad-value",
                "--clients 1M --reconnect-window 0; bad-value",
                "--clients 1M --publish-rate 0; bad-value"
            })
    void anInvalidRequestPrintsItsCodeAndOneSentence(String arguments, String code) {
        Ran ran = arguments == null ? Ran.of() : Ran.of(arguments);
        assertThat(ran.err()).startsWith("plan: " + code + ": ").hasLineCount(1);
        assertThat(ran.code()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aLoadThatDoesNotFitIsNotAnInvalidOption() {
        Ran ran = Ran.of("--clients 60M --cores 2 --memory 8GB --network 1Gbit");
        assertThat(ran.err()).startsWith("plan: does-not-fit: ");
        assertThat(ran.code()).isEqualTo(ExitCode.SOFTWARE);
    }

    @Test
    void twoOfRateFanOutAndPublishRateAreEnough() throws IOException {
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
    void aSimulationReportsItsVerdict() throws IOException {
        String small = "simulate --sessions 1M --nodes 20 --fail 2 --seed 3 --cores 2 --memory 8GB --network 1Gbit";
        assertThat(Ran.of(small).code()).isZero();
        assertThat(Ran.of(small).out()).contains("HELD: ");
        Ran herd = Ran.of(small + " --jitter none --max-accepts 20k");
        assertThat(herd.code()).isEqualTo(ExitCode.SOFTWARE);
        assertThat(herd.out()).contains("EXCEEDED: 18 nodes got more new sessions at once than their limit");
        assertThat(Ran.of(small + " --max-sessions 51k").out()).contains("would have exceeded their session limit");
        JsonNode json = Ran.of(small + " --json").json();
        assertThat(json.path("verdict").asText()).isEqualTo("held");
        assertThat(json.path("backAfterSeconds").path("all").asDouble()).isBetween(0.4, 4.0);
    }

    @Test
    void changedCoefficientsAreUsed(@TempDir Path folder) throws IOException {
        assertThat(Ran.of("coefficients").out()).contains("cpu-delivery").contains("docs/benchmarks.md");
        Path file = folder.resolve("mine.json");
        Files.writeString(file, Ran.of("coefficients --json").out().replace("\"value\" : 14.0", "\"value\" : 28.0"));
        String question = "--clients 1M --explain" + NODE;
        assertThat(Ran.of(question).out()).contains("/ 25 s x 14 us");
        assertThat(Ran.of(question + " --coefficients " + file).out()).contains("/ 25 s x 28 us");
        assertThat(Ran.of(question + " --set cpu-ping=7").out()).contains("/ 25 s x 7 us");
    }

    @Test
    void pricesAreSummed() throws IOException {
        JsonNode plan = Ran.of("--clients 60M --node-price 100 --broker-price 10 --json" + NODE)
                .json();
        assertThat(plan.path("monthlyPrice").asDouble())
                .isEqualTo(plan.path("nodesInAll").asLong() * 100.0
                        + plan.path("brokersInAll").asLong() * 10.0);
    }
}
