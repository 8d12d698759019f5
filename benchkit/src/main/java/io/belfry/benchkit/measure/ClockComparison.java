package io.belfry.benchkit.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How far the clocks of the publishers' machines are from the subscribers', for the report: one entry for each machine,
 * of its publishers the one known best. Owner: whoever reports.
 */
public final class ClockComparison {
    private static final int MACHINES_MAX = 100;

    private final Map<Integer, Entry> machines = new LinkedHashMap<>();

    /**
     * One machine's.
     *
     * @param known whether both sides could ask a server; without it the offset says nothing
     * @param sameMachine publisher and subscriber read one clock
     * @param offsetMicros publisher's clock minus subscriber's
     */
    public record Entry(
            int machine,
            boolean known,
            boolean sameMachine,
            long offsetMicros,
            long uncertaintyMicros,
            int publishers) {
        /** The wall clock was set while the test ran: each process has taken it once, at its start. */
        public boolean disagrees() {
            return known && sameMachine && Math.abs(offsetMicros) > uncertaintyMicros;
        }
    }

    public void add(ClockComparison other) {
        for (Entry entry : other.machines.values()) {
            machines.merge(entry.machine(), entry, ClockComparison::better);
        }
    }

    void add(ClockOffset publisher, ClockOffset own) {
        if (machines.size() >= MACHINES_MAX && !machines.containsKey(publisher.machine())) {
            return;
        }
        boolean known = publisher.isKnown() && own.isKnown();
        Entry entry = new Entry(
                publisher.machine(),
                known,
                publisher.sharesMachineWith(own),
                known ? publisher.aheadOfMicros(own) : 0,
                known ? publisher.uncertaintyWithMicros(own) : 0,
                1);
        machines.merge(publisher.machine(), entry, ClockComparison::better);
    }

    private static Entry better(Entry one, Entry other) {
        Entry better =
                other.known() && (!one.known() || other.uncertaintyMicros() < one.uncertaintyMicros()) ? other : one;
        return new Entry(
                better.machine(),
                better.known(),
                better.sameMachine(),
                better.offsetMicros(),
                better.uncertaintyMicros(),
                one.publishers() + other.publishers());
    }

    public List<Entry> entries() {
        return List.copyOf(machines.values());
    }
}
