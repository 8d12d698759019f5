package io.belfry.plan.model;

import io.belfry.client.ReconnectPolicy;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The load, the machines and the failures to survive: a value for each {@link PlanOption}. {@code RATE} is what each client
 * receives and {@code FAN_OUT} how many sessions receive each message, however the user gave them. Immutable.
 */
public final class PlanInputs {
    private static final double USUAL_RATE = 1 / 60.0;

    /** Value of the word {@code all} of the fan-out. */
    private static final double ALL = 0;

    private final Map<PlanOption, Double> values;

    private PlanInputs(Map<PlanOption, Double> values) {
        this.values = new EnumMap<>(values);
    }

    /** Reads the texts of options; {@code usualFanOut} applies if they do not determine the fan-out. */
    public static PlanInputs parse(Map<PlanOption, String> texts, double usualFanOut) {
        Map<PlanOption, Double> values = new EnumMap<>(PlanOption.class);
        for (PlanOption option : PlanOption.values()) {
            String text = texts.getOrDefault(option, option.defaultText);
            if (!text.isEmpty()) {
                values.put(option, option.parse(text));
            }
        }
        PlanInputs inputs = new PlanInputs(values);
        inputs.addLoad(usualFanOut);
        return of(inputs.values);
    }

    /**
     * Returns inputs with these values and those of this machine.
     *
     * @throws PlanError if a value is invalid or two contradict each other
     */
    public static PlanInputs of(Map<PlanOption, Double> values) {
        PlanInputs inputs = new PlanInputs(values);
        inputs.values.computeIfAbsent(PlanOption.CORES, absent -> LocalMachine.cores());
        inputs.values.computeIfAbsent(PlanOption.MEMORY, absent -> LocalMachine.memoryBytes());
        inputs.values.computeIfAbsent(PlanOption.NETWORK, absent -> LocalMachine.bitsPerSecond());
        inputs.values.putIfAbsent(PlanOption.BROKER_CORES, inputs.of(PlanOption.CORES));
        inputs.values.putIfAbsent(PlanOption.BROKER_NETWORK, inputs.of(PlanOption.NETWORK));
        double window = ReconnectPolicy.DEFAULT.quickPause().toMillis() / 1000.0;
        inputs.values.putIfAbsent(PlanOption.RECONNECT_WINDOW, window);
        inputs.check();
        return inputs;
    }

    /** Two of rate, publish rate and fan-out determine the third. */
    private void addLoad(double usualFanOut) {
        double clients = of(PlanOption.CLIENTS);
        @Nullable Double rate = values.get(PlanOption.RATE);
        @Nullable Double published = values.get(PlanOption.PUBLISH_RATE);
        @Nullable Double fanOut = values.get(PlanOption.FAN_OUT);
        @Nullable Double subjects = values.get(PlanOption.SUBJECTS);
        require(published == null || published > 0, PlanOption.PUBLISH_RATE, "must be more than 0");
        PlanError.requireConsistent(fanOut == null || subjects == null, "--fan-out and --subjects exclude each other");
        if (subjects != null) {
            fanOut = Math.max(1, clients * of(PlanOption.SUBJECTS_PER_CLIENT) / subjects);
        }
        PlanError.requireConsistent(
                rate == null || published == null || fanOut == null,
                "--rate, --publish-rate and --fan-out (or --subjects) exclude each other: give two of them");
        if (fanOut == null) {
            fanOut = rate != null && published != null
                    ? Math.max(1, clients * rate / published)
                    : Math.min(clients, usualFanOut);
        } else if (fanOut == ALL) {
            fanOut = clients;
        }
        if (rate == null) {
            rate = published == null ? USUAL_RATE : published * fanOut / clients;
        }
        values.put(PlanOption.FAN_OUT, fanOut);
        values.put(PlanOption.RATE, rate);
    }

    private void check() {
        double fanOut = of(PlanOption.FAN_OUT);
        double subject = of(PlanOption.SUBJECT_BYTES);
        boolean fits = fanOut >= 1 && fanOut <= of(PlanOption.CLIENTS);
        require(fits, PlanOption.FAN_OUT, "must be from 1 to the number of clients");
        require(subject >= 2 && subject <= 255, PlanOption.SUBJECT_BYTES, "must be from 2 to 255");
        require(of(PlanOption.PING) >= 1, PlanOption.PING, "must be 1s or more");
        require(of(PlanOption.MEMORY) > 0, PlanOption.MEMORY, "must be more than 0");
        require(of(PlanOption.RECONNECT_WINDOW) > 0, PlanOption.RECONNECT_WINDOW, "must be more than 0");
        double busy = of(PlanOption.BUSY);
        PlanError.requireConsistent(
                busy > 0 && of(PlanOption.MEMORY_SHARE) > 0 && of(PlanOption.PEAK) >= busy,
                "--busy and --memory-share must be more than 0, and --peak at least --busy");
        long copies = whole(PlanOption.REPLICATION);
        long failing = whole(PlanOption.SURVIVE_BROKERS);
        PlanError.requireConsistent(
                failing < copies,
                "with --replication " + copies + " messages survive " + (copies - 1) + " failed brokers, not "
                        + failing);
    }

    private void require(boolean valid, PlanOption option, String rule) {
        if (!valid) {
            throw PlanError.badValue(option.optionName(), rule, option.unit().show(of(option)));
        }
    }

    /** Returns the value of an option that was given or has a default. */
    public double of(PlanOption option) {
        return Objects.requireNonNull(values.get(option), option::optionName);
    }

    /** Returns the value of a whole number. */
    public long whole(PlanOption option) {
        return (long) of(option);
    }

    /** Returns the value of an option, empty if it was not given and has no default. */
    public Optional<Double> find(PlanOption option) {
        return Optional.ofNullable(values.get(option));
    }

    /** Returns the messages published per second on all nodes. */
    public double published() {
        return of(PlanOption.CLIENTS) * of(PlanOption.RATE) / of(PlanOption.FAN_OUT);
    }

    /** Returns whether nodes keep messages for clients that are away. */
    public boolean keepsHistory() {
        return of(PlanOption.HISTORY) > 0 && of(PlanOption.CACHE_SIZE) > 0;
    }

    /** Returns the load of one of several independent parts; a message for clients of all parts is published in each. */
    public PlanInputs part(long parts) {
        PlanInputs part = new PlanInputs(values);
        double clients = Math.ceilDiv(whole(PlanOption.CLIENTS), parts);
        part.values.put(PlanOption.CLIENTS, clients);
        part.values.put(PlanOption.FAN_OUT, Math.min(of(PlanOption.FAN_OUT), clients));
        return part;
    }
}
