package io.belfry.bench.scenario;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;

/** The named workloads. Their defaults suit two cores for server and generators, and 20,000 open files. */
public enum BenchScenario {
    FANOUT(
            "many readers of few subjects: 100 subjects, 1,000 messages/s published, one subject per client",
            "--clients=5000"),
    UNICAST(
            "a subject and a message per minute for each client",
            "--clients=15000 --subjects=15000 --rate=250 --duration=60s"),
    CHURN("clients connect, stay a second, leave, and connect again", "--rate=0 --duration=20s --warm-up=10s"),
    ROOMS("chat: bursts of short messages to ten rooms at a time", "--clients=5000 --rate=400 --size=50 --burst=10"),
    /**
     * A client receives 320 KB per second: the kernel buffers up to 4 MB for a stalled reader, and only later messages wait
     * in the server.
     */
    SLOW(
            "fanout with and without one stalled reader in a hundred: the effect on the other readers",
            "--clients=500 --subjects=20 --rate=400 --size=16384 --pairs=3");

    private final String sentence;
    private final String options;

    /** {@code options} are those that differ from a plain {@link BenchWorkload}. */
    BenchScenario(String sentence, String options) {
        this.sentence = sentence;
        this.options = options;
    }

    /** Returns the scenario of this name; throws {@link IllegalArgumentException} if there is none. */
    public static BenchScenario named(String name) {
        return Arrays.stream(values())
                .filter(scenario -> scenario.commandName().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        name + " is not a scenario; the scenarios are fanout, unicast, churn, rooms and slow"));
    }

    /** The name on the command line and in reports. */
    public String commandName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** A line for the list of scenarios. */
    public String sentence() {
        return sentence;
    }

    /** Returns the defaults of the scenario for this number of clients. */
    public BenchWorkload defaults(int clients) {
        BenchWorkload workload = defaults();
        workload.clients = clients;
        if (this == UNICAST) {
            workload.subjects = clients;
            workload.rate = clients / 60.0;
        }
        return workload;
    }

    /** Returns the defaults of the scenario. */
    public BenchWorkload defaults() {
        BenchWorkload workload = new BenchWorkload();
        new CommandLine(workload).parseArgs(options.split(" ", -1));
        return workload;
    }

    /**
     * Returns the measurements of the scenario. Measurements to compare are run in pairs with alternating order, so that a
     * drift of the machine affects both.
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

    /** One measurement of a scenario; {@code stalls}: whether one reader in a hundred stalls. */
    public record Round(String name, String sentence, boolean stalls) {}
}
