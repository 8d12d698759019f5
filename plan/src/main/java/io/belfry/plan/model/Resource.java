package io.belfry.plan.model;

import io.belfry.plan.coefficient.Unit;

/** What a machine has so much of and no more. */
public enum Resource {
    MEMORY("memory", Unit.BYTES),
    CPU("CPU", Unit.CORES),
    NETWORK_OUT("network out", Unit.BITS_PER_SECOND),
    NETWORK_IN("network in", Unit.BITS_PER_SECOND),
    COMING_BACK("accepts at fail-over", Unit.PER_SECOND),
    OPEN_FILES("open files", Unit.COUNT),
    DISK("disk", Unit.BYTES_PER_SECOND);

    private final String title;
    private final Unit unit;

    Resource(String title, Unit unit) {
        this.title = title;
        this.unit = unit;
    }

    public String title() {
        return title;
    }

    public Unit unit() {
        return unit;
    }
}
