package io.belfry.bench.scenario;

import io.belfry.benchkit.measure.Texts;
import io.belfry.benchkit.process.ServerChild;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Derives the processes of a scenario and their settings. The number of open files per process is limited, so many clients
 * are divided among several processes. Pure.
 *
 * @param openFilesMax maximum number of open files of one process
 */
public record BenchPlan(BenchScenario scenario, BenchWorkload workload, long openFilesMax) {
    /** Share of the open files for clients; the rest is for the process itself and for connections being replaced. */
    private static final double SHARE_FOR_CLIENTS = 0.8;
    /** Open files of the server besides its clients: jars, logs, loops, listeners, the monitor. */
    private static final int SERVER_FILES = 300;
    /** From the connection of the last client to the first message of the publisher. */
    private static final double LEAD_SECONDS = 3;

    private static final int STALLING_PERCENT = 1;
    private static final int BASE_MEGABYTES = 256;
    private static final int CLIENTS_PER_MEGABYTE = 50;
    /** Lower with TLS, because each client has a TLS engine of the JDK with its buffers. */
    private static final int ENCRYPTED_CLIENTS_PER_MEGABYTE = 12;

    /** The reason why this server cannot accept so many clients; empty if it can. */
    public Optional<String> serverTooSmall() {
        int needed = workload.clients + SERVER_FILES;
        return needed <= openFilesMax
                ? Optional.empty()
                : Optional.of(Texts.format(
                        "a process may open %,d files here, but the server needs %,d for %,d clients: raise the limit with"
                                + " 'ulimit -n %d', or use a server elsewhere with --server",
                        openFilesMax, needed, workload.clients, needed));
    }

    /** The measurements of the scenario. */
    public List<BenchScenario.Round> rounds() {
        return scenario.rounds(workload.pairs);
    }

    /** Whether clients connect, leave and connect again. */
    public boolean churns() {
        return scenario == BenchScenario.CHURN;
    }

    /** The subscriber processes of a measurement. */
    public List<GeneratorPlan> subscribers(BenchScenario.Round round) {
        int stalling = scenario == BenchScenario.SLOW
                ? Math.clamp((long) workload.clients * STALLING_PERCENT / 100, 1, Math.max(1, workload.clients - 1))
                : 0;
        int reading = workload.clients - stalling;
        int perProcess = (int) Math.max(1, openFilesMax * SHARE_FOR_CLIENTS);
        int processes = Math.ceilDiv(workload.clients, perProcess);
        List<GeneratorPlan> plans = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            int from = share(i, processes, reading);
            int to = share(i + 1, processes, reading);
            String name = processes == 1 ? "benchsub" : "benchsub-" + (i + 1);
            plans.add(new GeneratorPlan(name, "benchsub", to - from, subscriberSettings(from, to, processes), false));
        }
        if (stalling > 0) {
            plans.add(stalling(round, stalling, processes));
        }
        return plans;
    }

    /** The first client of a process. */
    private static int share(int process, int processes, int whole) {
        return (int) ((long) whole * process / processes);
    }

    /** A separate process, with or without stalls, because a burst of reads after a stall would delay other clients. */
    private GeneratorPlan stalling(BenchScenario.Round round, int clients, int processes) {
        Map<String, String> settings = subscriberSettings(0, clients, processes);
        if (round.stalls()) {
            // Stalled from the start until the last quarter of the measurement.
            settings.put("StalledReaders", "100 %");
            settings.put("StallTime", millis(LEAD_SECONDS + workload.warmUpSeconds + workload.durationSeconds * 3 / 4));
        }
        return new GeneratorPlan("benchsub-slow", "benchsub", clients, settings, true);
    }

    private Map<String, String> subscriberSettings(int from, int to, int processes) {
        int clients = to - from;
        Map<String, String> settings = commonSettings(clients);
        settings.put("Clients", Integer.toString(clients));
        settings.put("ConnectRate", Integer.toString(Math.max(1, workload.connectRate / processes)));
        if (scenario == BenchScenario.UNICAST) {
            settings.put("Subjects", subjects(from + 1, to));
            settings.put("OneToOne", "true");
        } else {
            settings.put("Subjects", subjects(1, workload.subjects));
        }
        if (churns()) {
            settings.put("HoldTime", workload.holdTime);
            settings.put("RampUp", millis(workload.rampSeconds));
            settings.put("RampDown", millis(workload.rampSeconds));
            settings.put("Duration", millis(workload.durationSeconds));
        }
        return settings;
    }

    /** The publisher process; empty if the rate is 0. */
    public Optional<GeneratorPlan> publisher() {
        if (workload.rate == 0) {
            return Optional.empty();
        }
        double rate = workload.rate;
        Map<String, String> settings = commonSettings(1);
        settings.put("Subjects", subjects(1, workload.subjects));
        settings.put("Frequency", rate == Math.rint(rate) ? Long.toString((long) rate) : Double.toString(rate));
        settings.put("MessageSize", Integer.toString(workload.size));
        settings.put("Burst", Integer.toString(workload.burst));
        settings.put("WarmUpTime", millis(workload.warmUpSeconds));
        settings.put("Duration", millis(workload.durationSeconds));
        workload.token.ifPresent(token -> settings.put("EntitlementToken", token));
        return Optional.of(new GeneratorPlan("benchpub", "benchpub", 1, settings, false));
    }

    private Map<String, String> commonSettings(int clients) {
        Map<String, String> settings = new LinkedHashMap<>();
        int perMegabyte = encrypted() ? ENCRYPTED_CLIENTS_PER_MEGABYTE : CLIENTS_PER_MEGABYTE;
        settings.put("Memory", BASE_MEGABYTES + clients / perMegabyte + " MB");
        if (encrypted()) {
            settings.put("Encrypted", "true");
            settings.put("TrustAny", "true");
        }
        settings.put("Encoding", workload.encoding);
        settings.put("Transport", workload.transport);
        return settings;
    }

    /** Whether the server has an encrypted listener; all clients then connect to that one. */
    private boolean encrypted() {
        return workload.serverSettings().stream()
                .anyMatch(setting -> setting.toLowerCase(Locale.ROOT).startsWith("listenencrypted="));
    }

    private String subjects(int first, int last) {
        boolean rooms = scenario == BenchScenario.ROOMS;
        String range = first == last ? Integer.toString(first) : "{" + first + ".." + last + "}";
        return rooms ? "/room/" + range : "/p/s" + range + "/-";
    }

    /** The settings of the server under test; those of the user are last and take precedence. */
    public List<String> serverSettings(String logFolder) {
        List<String> settings = new ArrayList<>(ServerChild.OPEN_SETTINGS);
        settings.add(encrypted() ? "Listen=none" : "Listen=127.0.0.1:0");
        settings.add("LogFolder=" + logFolder);
        if (scenario == BenchScenario.SLOW) {
            // Full at the end of the warm-up, so that later growth of the memory is not history.
            settings.add("CacheMemory=32 MB");
        }
        settings.addAll(workload.serverSettings());
        return settings;
    }

    /** The words before the command of the server that give it its processors. */
    public List<String> serverPrefix() {
        return onCpus(workload.serverCpus);
    }

    /** The words before the command of a load generator that give it its processors. */
    public List<String> generatorPrefix() {
        return onCpus(workload.generatorCpus);
    }

    private static List<String> onCpus(@Nullable String list) {
        return list == null ? List.of() : List.of("taskset", "-c", list);
    }

    /** The workload as a sentence of the report. */
    public String sentence() {
        String clients = Texts.format("%,d clients", workload.clients);
        String in = Texts.format("%s messages of %d bytes published per second", commas(workload.rate), workload.size);
        return switch (scenario) {
            case FANOUT -> clients + " on " + commas(workload.subjects) + " subjects; " + in + perClient();
            case UNICAST -> clients + ", each on its own subject; " + in + perClient();
            case CHURN ->
                clients + " that connect, subscribe, stay for " + workload.holdTime
                        + ", close the connection and connect again.";
            case ROOMS ->
                clients + " in " + commas(workload.subjects) + " rooms; " + in + ", in bursts to " + workload.burst
                        + " random rooms" + perClient();
            case SLOW ->
                clients + " on " + commas(workload.subjects) + " subjects; " + in
                        + ". One reader in a hundred stops reading and resumes later; in a control run, all readers read.";
        };
    }

    private String perClient() {
        double perMinute = workload.rate * 60 / workload.subjects;
        return perMinute >= 60
                ? ", so that each client receives " + commas(perMinute / 60) + " per second."
                : ", so that each client receives " + commas(perMinute) + " per minute.";
    }

    /** The options of the workload, for the report. */
    public Map<String, String> options() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("clients", commas(workload.clients));
        options.put("subjects", commas(workload.subjects));
        options.put("rate", Texts.format("%,.1f messages/s published", workload.rate));
        options.put("size", workload.size + " bytes");
        options.put("burst", Integer.toString(workload.burst));
        options.put("warm-up", workload.warmUpSeconds + " s");
        options.put("duration", workload.durationSeconds + " s");
        options.put("connect rate", workload.connectRate + " per second");
        options.put("encoding", workload.encoding);
        options.put("transport", workload.transport);
        options.put("processors of the server", Objects.requireNonNullElse(workload.serverCpus, "all"));
        options.put("processors of the generators", Objects.requireNonNullElse(workload.generatorCpus, "all"));
        return options;
    }

    private static String millis(double seconds) {
        return Math.round(seconds * 1000) + " ms";
    }

    private static String commas(double value) {
        return Texts.format(value == Math.rint(value) ? "%,.0f" : "%,.1f", value);
    }

    /**
     * One process of a load generator. Immutable.
     *
     * @param name the name in the report and of its files
     * @param program {@code benchsub} or {@code benchpub}
     * @param settings its keys; addresses and files are added at the start
     * @param apart whether its latencies do not count and it must not delay the other generators
     */
    public record GeneratorPlan(String name, String program, int clients, Map<String, String> settings, boolean apart) {
        /** Whether the process publishes. */
        public boolean publishes() {
            return program.equals("benchpub");
        }
    }
}
