package io.belfry.plan.model;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.Map;

/** Loads, machines and requirements for tests: values of some options each. */
final class PlanFixtures {
    static final Map<PlanOption, Double> LARGE = machine(16, 128L << 30, 25e9, 20_000_000, 0.6, 0.9, 0.85, 200_000);
    static final Map<PlanOption, Double> SMALL = machine(2, 8L << 30, 1e9, 1_048_576, 0.6, 0.9, 0.85, 200_000);
    static final Map<PlanOption, Double> NO_HISTORY = Map.of(PlanOption.HISTORY, 0.0, PlanOption.CACHE_SIZE, 0.0);
    static final Map<PlanOption, Double> USUAL = Map.of(PlanOption.HISTORY, 60.0, PlanOption.CACHE_SIZE, 1000.0);

    /** The words of {@code --cluster}. */
    static final double AUTO = 0;

    static final double YES = 1;
    static final double NO = 2;

    static final Coefficients BUILT_IN = builtIn();

    private PlanFixtures() {}

    private static Coefficients builtIn() {
        try {
            return Coefficients.builtIn();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Map<PlanOption, Double> machine(
            double cores,
            double memory,
            double network,
            double openFiles,
            double busy,
            double peak,
            double memoryShare,
            double connectRate) {
        return Map.of(
                PlanOption.CORES, cores,
                PlanOption.MEMORY, memory,
                PlanOption.NETWORK, network,
                PlanOption.OPEN_FILES, openFiles,
                PlanOption.BUSY, busy,
                PlanOption.PEAK, peak,
                PlanOption.MEMORY_SHARE, memoryShare,
                PlanOption.CONNECT_RATE, connectRate);
    }

    /** Returns a load of WebSockets without TLS that stay connected. */
    static Map<PlanOption, Double> work(double clients, double perSecond, double bytes, double fanOut) {
        Map<PlanOption, Double> work = new EnumMap<>(PlanOption.class);
        for (PlanOption none : new PlanOption[] {
            PlanOption.TLS, PlanOption.HTTP, PlanOption.JSON_SESSIONS, PlanOption.NEW_SESSIONS, PlanOption.SLOW
        }) {
            work.put(none, 0.0);
        }
        work.put(PlanOption.CLIENTS, clients);
        work.put(PlanOption.RATE, perSecond);
        work.put(PlanOption.SIZE, bytes);
        work.put(PlanOption.FAN_OUT, fanOut);
        work.put(PlanOption.SUBJECTS_PER_CLIENT, 1.0);
        work.put(PlanOption.SUBJECT_BYTES, 16.0);
        work.put(PlanOption.PING, 25.0);
        return work;
    }

    static Map<PlanOption, Double> all(Map<PlanOption, Double> work, PlanOption share) {
        Map<PlanOption, Double> changed = new EnumMap<>(work);
        changed.put(share, 1.0);
        return changed;
    }

    /** Returns requirements; {@code cluster} is {@link #AUTO}, {@link #YES} or {@link #NO}. */
    static Map<PlanOption, Double> requirements(double failures, double cells, double cluster) {
        return Map.of(
                PlanOption.SURVIVE, failures,
                PlanOption.RECONNECT_WINDOW, 0.5,
                PlanOption.CELLS, cells,
                PlanOption.CLUSTER, cluster,
                PlanOption.REPLICATION, 3.0,
                PlanOption.SURVIVE_BROKERS, 1.0,
                PlanOption.BROKER_CORES, 16.0,
                PlanOption.BROKER_NETWORK, 25e9,
                PlanOption.BROKER_DISK, 200e6,
                PlanOption.LOG_KEPT, 3600.0);
    }

    @SafeVarargs
    static PlanInputs inputs(Map<PlanOption, Double>... parts) {
        Map<PlanOption, Double> all = new EnumMap<>(PlanOption.class);
        for (Map<PlanOption, Double> part : parts) {
            all.putAll(part);
        }
        return PlanInputs.of(all);
    }

    /** Plans for a load, a machine, a history and requirements. */
    @SafeVarargs
    static Plan plan(Map<PlanOption, Double>... parts) {
        return new CapacityPlanner(inputs(parts), BUILT_IN).plan();
    }
}
