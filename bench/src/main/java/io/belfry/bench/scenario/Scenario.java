package io.belfry.bench.scenario;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The named workloads. Their defaults fit two cores that server and generators share, and 20,000 open files. */
public enum Scenario {
    FANOUT("few subjects, many readers: 100 subjects, 1,000 messages/s in, every client reads one subject"),
    UNICAST("a subject for each client, and a message a minute for each"),
    CHURN("clients connect, stay a second, go, and come again"),
    ROOMS("chat: bursts of short messages to ten rooms at a time"),
    SLOW("fanout with one reader in a hundred stalled, and once more without: what do the others notice?");

    private final String sentence;

    Scenario(String sentence) {
        this.sentence = sentence;
    }

    public static Optional<Scenario> named(String name) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.commandName().equalsIgnoreCase(name))
                .findFirst();
    }

    public String commandName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** One line for the list of scenarios. */
    public String sentence() {
        return sentence;
    }

    /** What it runs with where nothing else is asked for. */
    public Workload defaults() {
        Workload plain = Workload.plain();
        return switch (this) {
            case FANOUT -> plain.withClients(5000).withRate(1000).withSubjects(100);
            case UNICAST ->
                plain.withClients(15_000).withSubjects(15_000).withRate(250).withDurationSeconds(60);
            case CHURN ->
                plain.withClients(1000)
                        .withSubjects(100)
                        .withRate(0)
                        .withDurationSeconds(20)
                        .withWarmUpSeconds(10);
            case ROOMS ->
                plain.withClients(5000)
                        .withSubjects(100)
                        .withRate(400)
                        .withSize(50)
                        .withBurst(10);
            case SLOW ->
                // 320 KB a second for each: the kernel takes up to 4 MB for a reader that stalls, and only what comes
                // then waits in the server.
                plain.withClients(500)
                        .withSubjects(20)
                        .withRate(400)
                        .withSize(16_384)
                        .withPairs(3);
        };
    }

    /**
     * The measurements it consists of; the first is what it is about. Those that are compared are run in pairs, either
     * one first in turn, so that what drifts on the machine is in both.
     */
    List<Round> rounds(int pairs) {
        if (this != SLOW) {
            return List.of(new Round(commandName(), "", false));
        }
        List<Round> rounds = new ArrayList<>();
        for (int pair = 1; pair <= pairs; pair++) {
            String number = pairs == 1 ? "" : " " + pair;
            Round stalled = new Round("1 % stalled" + number, "one reader in a hundred stops reading", true);
            Round control = new Round("control" + number, "the same with all readers reading", false);
            rounds.addAll(pair % 2 == 1 ? List.of(stalled, control) : List.of(control, stalled));
        }
        return rounds;
    }

    /** One measurement of a scenario. */
    public record Round(String name, String sentence, boolean stalls) {}
}
