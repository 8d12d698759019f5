package io.belfry.plan.model;

/** A limited resource of a machine. */
public enum Resource {
    MEMORY("memory", Unit.BYTES),
    CPU("CPU", Unit.CORES),
    NETWORK_OUT("network out", Unit.BITS_PER_SECOND),
    NETWORK_IN("network in", Unit.BITS_PER_SECOND),
    RECONNECTS("accepts at fail-over", Unit.PER_SECOND),
    OPEN_FILES("open files", Unit.COUNT),
    DISK("disk", Unit.BYTES_PER_SECOND);

    private final String title;
    private final Unit unit;

    Resource(String title, Unit unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Returns the name in reports and in JSON. */
    public String title() {
        return title;
    }

    /** Returns the unit of its amounts. */
    public Unit unit() {
        return unit;
    }
}
