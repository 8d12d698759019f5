package io.belfry.bench.scenario;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Makes processes and their settings of a scenario. A process may open just so many files, so many clients are divided
 * among several. Immutable.
 *
 * @param openFilesMax of one process
 */
public record Planner(Scenario scenario, Workload workload, long openFilesMax) {
    /** Of the files a process may open, the rest is for its own use and for connections that are being replaced. */
    private static final double SHARE_FOR_CLIENTS = 0.8;

    /** What the server opens beside its clients: jars, logs, loops, listeners, the monitor. */
    private static final int SERVER_FILES = 300;

    /** From the last client's connection to the publisher's first message. */
    private static final double LEAD_SECONDS = 3;

    private static final int STALLING_PERCENT = 1;

    private static final int BASE_MEGABYTES = 256;
    private static final int CLIENTS_PER_MEGABYTE = 50;

    /** An engine of the JDK with its buffers for each. */
    private static final int ENCRYPTED_CLIENTS_PER_MEGABYTE = 12;

    /** Why this server cannot take so many clients; empty when it can. */
    public Optional<String> serverTooSmall() {
        return workload.clients() + SERVER_FILES <= openFilesMax
                ? Optional.empty()
                : Optional.of(String.format(
                        Locale.ROOT,
                        "a process may open %,d files here, and the server needs %,d for %,d clients: raise it with"
                                + " 'ulimit -n %d', or give --server a server elsewhere",
                        openFilesMax,
                        workload.clients() + SERVER_FILES,
                        workload.clients(),
                        workload.clients() + SERVER_FILES));
    }

    public List<Scenario.Round> rounds() {
        return scenario.rounds(workload.pairs());
    }

    public List<GeneratorPlan> subscribers(Scenario.Round round) {
        int apart = scenario == Scenario.SLOW ? stalling() : 0;
        int reading = workload.clients() - apart;
        int processes = processes();
        List<GeneratorPlan> plans = new ArrayList<>();
        for (int i = 0; i < processes; i++) {
            int from = share(i, processes, reading);
            int to = share(i + 1, processes, reading);
            String name = processes == 1 ? "benchsub" : "benchsub-" + (i + 1);
            plans.add(new GeneratorPlan(name, "benchsub", to - from, subscriberSettings(from, to, processes)));
        }
        if (apart > 0) {
            plans.add(stalling(round, apart, processes));
        }
        return plans;
    }

    private int stalling() {
        return Math.clamp((long) workload.clients() * STALLING_PERCENT / 100, 1, Math.max(1, workload.clients() - 1));
    }

    /** In a process of their own, with or without stalls: what they read at once later must not keep others waiting. */
    private GeneratorPlan stalling(Scenario.Round round, int clients, int processes) {
        Map<String, String> settings = subscriberSettings(0, clients, processes);
        if (round.stalls()) {
            settings.put("StalledReaders", "100 %");
            settings.put("StallTime", seconds(stallSeconds()));
        }
        return new GeneratorPlan("benchsub-slow", "benchsub", clients, settings, true);
    }

    private int processes() {
        int perProcess = (int) Math.max(1, openFilesMax * SHARE_FOR_CLIENTS);
        return (workload.clients() + perProcess - 1) / perProcess;
    }

    /** Where the share of a process begins. */
    private static int share(int process, int processes, int whole) {
        return (int) ((long) whole * process / processes);
    }

    private Map<String, String> subscriberSettings(int from, int to, int processes) {
        int clients = to - from;
        Map<String, String> settings = both(clients);
        settings.put("Clients", Integer.toString(clients));
        settings.put("ConnectRate", Integer.toString(Math.max(1, workload.connectRate() / processes)));
        if (scenario == Scenario.UNICAST) {
            settings.put("Subjects", subjects(from + 1, to));
            settings.put("OneToOne", "true");
        } else {
            settings.put("Subjects", subjects(1, workload.subjects()));
        }
        if (scenario == Scenario.CHURN) {
            settings.put("HoldTime", workload.holdTime());
            settings.put("RampUp", seconds(workload.rampSeconds()));
            settings.put("RampDown", seconds(workload.rampSeconds()));
            settings.put("Duration", seconds(workload.durationSeconds()));
        }
        return settings;
    }

    /** They stall when they are connected and read on in the last quarter of the measurement. */
    private double stallSeconds() {
        return LEAD_SECONDS + workload.warmUpSeconds() + workload.durationSeconds() * 3 / 4;
    }

    /** Empty where nobody publishes. */
    public Optional<GeneratorPlan> publisher() {
        if (workload.rate() == 0) {
            return Optional.empty();
        }
        Map<String, String> settings = both(1);
        settings.put("Subjects", subjects(1, workload.subjects()));
        settings.put("Frequency", number(workload.rate()));
        settings.put("MessageSize", Integer.toString(workload.size()));
        settings.put("Burst", Integer.toString(workload.burst()));
        settings.put("WarmUpTime", seconds(workload.warmUpSeconds()));
        settings.put("Duration", seconds(workload.durationSeconds()));
        workload.token().ifPresent(token -> settings.put("EntitlementToken", token));
        return Optional.of(new GeneratorPlan("benchpub", "benchpub", 1, settings));
    }

    private Map<String, String> both(int clients) {
        Map<String, String> settings = new LinkedHashMap<>();
        int perMegabyte = encrypted() ? ENCRYPTED_CLIENTS_PER_MEGABYTE : CLIENTS_PER_MEGABYTE;
        settings.put("Memory", BASE_MEGABYTES + clients / perMegabyte + " MB");
        if (encrypted()) {
            settings.put("Encrypted", "true");
            settings.put("TrustAny", "true");
        }
        settings.put("Encoding", workload.encoding());
        settings.put("Transport", workload.transport());
        return settings;
    }

    /** Whether the server was told an address to encrypt on; then clients come there, and nowhere else. */
    private boolean encrypted() {
        return workload.serverSettings().stream()
                .anyMatch(setting -> setting.toLowerCase(Locale.ROOT).startsWith("listenencrypted="));
    }

    private String subjects(int first, int last) {
        String stem = scenario == Scenario.ROOMS ? "/room/" : "/p/s";
        String range = first == last ? Integer.toString(first) : "{" + first + ".." + last + "}";
        return stem + range + (scenario == Scenario.ROOMS ? "" : "/-");
    }

    /** The server under test: on free ports, open to everybody, its figures without a password. */
    public List<String> serverSettings(String logFolder) {
        List<String> settings = new ArrayList<>(List.of(
                encrypted() ? "Listen=none" : "Listen=127.0.0.1:0",
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false",
                "Entitlement=None",
                "BenchmarkMode=true",
                "LogFolder=" + logFolder));
        if (scenario == Scenario.SLOW) {
            // Full when the warm-up is over, so that what grows then is no history.
            settings.add("CacheMemory=32 MB");
        }
        settings.addAll(workload.serverSettings());
        return settings;
    }

    /** What the report says the scenario is. */
    public String sentence() {
        String clients = String.format(Locale.ROOT, "%,d clients", workload.clients());
        String in = String.format(
                Locale.ROOT, "%s messages of %d bytes a second come in", commas(workload.rate()), workload.size());
        return switch (scenario) {
            case FANOUT -> clients + " on " + commas(workload.subjects()) + " subjects; " + in + perClient();
            case UNICAST -> clients + ", each with a subject of its own; " + in + perClient();
            case CHURN ->
                clients + " that connect, subscribe, hold the connection for " + workload.holdTime()
                        + ", close it and come again.";
            case ROOMS ->
                clients + " in " + commas(workload.subjects()) + " rooms; " + in + ", in bursts to " + workload.burst()
                        + " random rooms" + perClient();
            case SLOW ->
                clients + " on " + commas(workload.subjects()) + " subjects; " + in
                        + ". One reader in a hundred stops reading and reads on later; each control run has none of those.";
        };
    }

    private String perClient() {
        double perMinute = workload.rate() * 60 / workload.subjects();
        return perMinute >= 60
                ? ", so that each client gets " + commas(perMinute / 60) + " a second."
                : ", so that each client gets " + commas(perMinute) + " a minute.";
    }

    private static String seconds(double value) {
        return Math.round(value * 1000) + " ms";
    }

    private static String number(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static String commas(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,d", (long) value)
                : String.format(Locale.ROOT, "%,.1f", value);
    }
}
