package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.belfry.testsupport.RequiredPrograms;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs the behaviour suite on every client of drivers.json:
 *
 * <pre>mvn -pl tests/clients -am verify -Dtest=ClientSuiteTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dbelfry.clients.seconds=600 -Dbelfry.clients.seed=1</pre>
 *
 * {@link RunSettings} has all properties.
 */
@Tag("slow")
final class ClientSuiteTest {
    private static final RunSettings SETTINGS = RunSettings.fromProperties();
    private static final List<SuiteRun.Result> RESULTS = new ArrayList<>();

    @BeforeAll
    static void run() throws Exception {
        System.out.println("-Dbelfry.clients.seed=" + SETTINGS.seed());
        long start = System.nanoTime();
        RESULTS.addAll(new SuiteRun(SETTINGS, Behaviours.all(), SETTINGS.wireShares()).run(DriverCommand.all()));
        ResultFile.write(SETTINGS, RESULTS, System.nanoTime() - start);
    }

    @TestFactory
    Stream<DynamicContainer> everyClientPassesTheSuite() {
        Map<String, List<DynamicTest>> tests = new LinkedHashMap<>();
        for (SuiteRun.Result result : RESULTS) {
            tests.computeIfAbsent(result.client(), client -> new ArrayList<>())
                    .add(DynamicTest.dynamicTest(result.behaviour().sentence(), () -> require(result)));
        }
        selected()
                .forEach(each ->
                        each.missing().ifPresent(missing -> tests.put(each.client(), List.of(skipped(missing)))));
        assertThat(tests).as("at least one client was tested").isNotEmpty();
        return tests.entrySet().stream()
                .map(client -> DynamicContainer.dynamicContainer(client.getKey(), client.getValue()));
    }

    private static Stream<DriverCommand> selected() {
        return DriverCommand.all().stream().filter(each -> each.client().matches(SETTINGS.client()));
    }

    private static DynamicTest skipped(String missing) {
        return DynamicTest.dynamicTest("all", () -> RequiredPrograms.skip(missing));
    }

    private static void require(SuiteRun.Result result) {
        assertThat(result.outcome())
                .as(
                        "%s, %s (seed %s): %s",
                        result.client(), result.behaviour().sentence(), SETTINGS.seed(), result.detail())
                .isNotEqualTo(SuiteRun.Outcome.FAILED);
        boolean unexplained = result.outcome() == SuiteRun.Outcome.NOT_APPLICABLE
                && result.detail().isEmpty();
        assertThat(unexplained)
                .as(
                        "%s: a driver gives the reason for each capability that it lacks: %s",
                        result.client(), result.behaviour())
                .isFalse();
    }

    @Test
    void theMatrixIsUpToDate() throws Exception {
        assumeFalse(SETTINGS.isPartial(), "a part of the suite makes no complete matrix");
        assumeFalse(selected().anyMatch(each -> each.missing().isPresent()), "a client is missing in the matrix");
        MatrixPage page = MatrixPage.of(Behaviours.all(), RESULTS);
        if (Boolean.getBoolean("belfry.generate")) {
            page.write();
        }
        assertThat(MatrixPage.checkedIn())
                .as("docs/clients/matrix.md; after a change of the suite or a client run: %s", MatrixPage.COMMAND)
                .isEqualTo(page.text());
    }
}
