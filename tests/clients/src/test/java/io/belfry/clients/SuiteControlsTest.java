package io.belfry.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Negative controls: the suite finds the faults that the Java driver makes on request. */
@Tag("complete")
final class SuiteControlsTest {
    private static final String ORDER = "Messages arrive once and in order over " + Wire.BINARY.text();
    private static final String RARELY = "A server that refuses gets few attempts over " + Wire.BINARY.text();
    private static final String SPREAD = "Clients that lose a server together reconnect at different times";
    private static final List<SuiteRun.Result> RESULTS = new ArrayList<>();

    @BeforeAll
    static void run() {
        run(List.of(ORDER, RARELY, SPREAD), "none");
        run(List.of(ORDER), "drop", "double", "reorder");
        // One after the other: forty clients that never pause leave no processor time for the client of the other
        // check.
        run(List.of(RARELY), "eager");
        run(List.of(SPREAD), "eager");
    }

    private static void run(List<String> sentences, String... faults) {
        RunSettings settings = new RunSettings(0, RunSettings.fromProperties().seed(), ".*", ".*");
        List<Behaviour> behaviours = Behaviours.all().stream()
                .filter(each -> sentences.contains(each.sentence()))
                .toList();
        List<DriverCommand> drivers =
                Stream.of(faults).map(SuiteControlsTest::withFault).toList();
        RESULTS.addAll(new SuiteRun(settings, behaviours, 1).run(drivers));
    }

    private static DriverCommand withFault(String fault) {
        DriverCommand java = DriverCommand.of("Java");
        List<String> command = new ArrayList<>(java.command());
        command.add("--fault=" + fault);
        return new DriverCommand(fault, java.folder(), command, java.built(), java.build());
    }

    private static SuiteRun.Result result(String fault, String behaviour) {
        return RESULTS.stream()
                .filter(each -> each.client().equals(fault)
                        && each.behaviour().sentence().equals(behaviour))
                .findFirst()
                .orElseThrow();
    }

    private static void requireFound(String fault, String behaviour, String detail) {
        SuiteRun.Result result = result(fault, behaviour);
        assertThat(result.outcome()).as(result.detail()).isEqualTo(SuiteRun.Outcome.FAILED);
        assertThat(result.detail()).contains(detail);
    }

    @Test
    void aDriverWithoutFaultsPasses() {
        assertThat(RESULTS.stream().filter(each -> each.client().equals("none")))
                .hasSize(3)
                .allSatisfy(result ->
                        assertThat(result.outcome()).as(result.detail()).isEqualTo(SuiteRun.Outcome.PASSED));
    }

    @Test
    void aDroppedMessageIsFound() {
        requireFound("drop", ORDER, "lost: ");
    }

    @Test
    void aDoubledMessageIsFound() {
        requireFound("double", ORDER, "duplicate or out of order: ");
    }

    @Test
    void aReorderedMessageIsFound() {
        requireFound("reorder", ORDER, "lost: ");
    }

    @Test
    void aClientThatNeverPausesIsFound() {
        requireFound("eager", RARELY, "attempts in three seconds");
        requireFound("eager", SPREAD, "the range of");
    }
}
