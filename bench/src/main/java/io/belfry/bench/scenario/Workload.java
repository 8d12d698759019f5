package io.belfry.bench.scenario;

import io.belfry.benchkit.measure.Stamp;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How large a scenario is. Immutable.
 *
 * @param rate messages a second in, of all publishers; 0 = nobody publishes
 * @param subjects how many there are; rooms, in the scenario of that name
 * @param burst messages meant for the same moment
 * @param holdTime of a client that comes and goes, such as {@code 1 s +-10 %}
 * @param rampSeconds up and, at the end, down again
 * @param pairs how often what is compared is run, each time anew
 * @param serverSettings {@code Key=value}, beyond what every server under test gets
 */
public record Workload(
        int clients,
        double rate,
        int size,
        int subjects,
        int burst,
        double durationSeconds,
        double warmUpSeconds,
        int connectRate,
        String encoding,
        String transport,
        String holdTime,
        double rampSeconds,
        int pairs,
        Optional<String> token,
        List<String> serverSettings) {
    private static final int CONNECT_RATE = 2000;

    public Workload {
        must(clients >= 1 && clients <= 10_000_000, "--clients must be from 1 to 10,000,000");
        must(rate >= 0 && rate <= 10_000_000, "--rate must be from 0 to 10,000,000");
        must(size >= Stamp.BYTES && size <= 1 << 24, "--size must be from " + Stamp.BYTES + " bytes to 16 MB");
        must(subjects >= 1, "--subjects must be at least 1");
        must(durationSeconds >= 1, "--duration must be at least 1 s");
        must(warmUpSeconds >= 0, "--warm-up must not be below 0");
        must(pairs >= 1 && pairs <= 100, "--pairs must be from 1 to 100");
        must(connectRate >= 1, "--connect-rate must be at least 1");
        serverSettings = List.copyOf(serverSettings);
    }

    private static void must(boolean holds, String sentence) {
        if (!holds) {
            throw new IllegalArgumentException(sentence);
        }
    }

    static Workload plain() {
        return new Workload(
                1000,
                1000,
                512,
                100,
                1,
                30,
                5,
                CONNECT_RATE,
                "binary",
                "websocket",
                "1 s +-10 %",
                10,
                1,
                Optional.empty(),
                List.of());
    }

    public Workload withClients(int value) {
        return changed(change -> change.clients = value);
    }

    public Workload withRate(double value) {
        return changed(change -> change.rate = value);
    }

    public Workload withSize(int value) {
        return changed(change -> change.size = value);
    }

    public Workload withSubjects(int value) {
        return changed(change -> change.subjects = value);
    }

    public Workload withBurst(int value) {
        return changed(change -> change.burst = value);
    }

    public Workload withDurationSeconds(double value) {
        return changed(change -> change.durationSeconds = value);
    }

    public Workload withWarmUpSeconds(double value) {
        return changed(change -> change.warmUpSeconds = value);
    }

    public Workload withConnectRate(int value) {
        return changed(change -> change.connectRate = value);
    }

    public Workload withPairs(int value) {
        return changed(change -> change.pairs = value);
    }

    /** How clients speak. */
    public Workload speaking(String newEncoding, String newTransport) {
        return changed(change -> {
            change.encoding = newEncoding;
            change.transport = newTransport;
        });
    }

    /** How clients of churn come and go. */
    public Workload holding(String newHoldTime, double newRampSeconds) {
        return changed(change -> {
            change.holdTime = newHoldTime;
            change.rampSeconds = newRampSeconds;
        });
    }

    /** Against which server. */
    public Workload towards(Optional<String> newToken, List<String> newServerSettings) {
        return changed(change -> {
            change.token = newToken;
            change.serverSettings = newServerSettings;
        });
    }

    private Workload changed(Consumer<Change> how) {
        Change change = new Change(this);
        how.accept(change);
        return change.done();
    }

    /** The one place that copies a workload. */
    private static final class Change {
        int clients;
        double rate;
        int size;
        int subjects;
        int burst;
        double durationSeconds;
        double warmUpSeconds;
        int connectRate;
        String encoding;
        String transport;
        String holdTime;
        double rampSeconds;
        int pairs;
        Optional<String> token;
        List<String> serverSettings;

        Change(Workload from) {
            clients = from.clients;
            rate = from.rate;
            size = from.size;
            subjects = from.subjects;
            burst = from.burst;
            durationSeconds = from.durationSeconds;
            warmUpSeconds = from.warmUpSeconds;
            connectRate = from.connectRate;
            encoding = from.encoding;
            transport = from.transport;
            holdTime = from.holdTime;
            rampSeconds = from.rampSeconds;
            pairs = from.pairs;
            token = from.token;
            serverSettings = from.serverSettings;
        }

        Workload done() {
            return new Workload(
                    clients,
                    rate,
                    size,
                    subjects,
                    burst,
                    durationSeconds,
                    warmUpSeconds,
                    connectRate,
                    encoding,
                    transport,
                    holdTime,
                    rampSeconds,
                    pairs,
                    token,
                    serverSettings);
        }
    }
}
