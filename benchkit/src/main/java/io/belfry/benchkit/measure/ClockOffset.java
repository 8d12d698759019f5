package io.belfry.benchkit.measure;

/**
 * The offset of the server's clock to a process's clock, measured by that process. Immutable.
 *
 * @param micros the server's clock minus the process's
 * @param uncertaintyMicros maximum distance to the true offset; {@link #UNCERTAINTY_MAX} = the offset is unknown
 * @param machine the same number for all processes of a machine since its boot
 */
public record ClockOffset(long micros, long uncertaintyMicros, int machine) {
    public static final long UNCERTAINTY_MAX = (1L << 25) - 1;
    public static final ClockOffset UNKNOWN = unknown(0);

    /** An unknown offset of a process on this machine. */
    public static ClockOffset unknown(int machine) {
        return new ClockOffset(0, UNCERTAINTY_MAX, machine);
    }

    /** Whether the offset was measured. */
    public boolean isKnown() {
        return uncertaintyMicros < UNCERTAINTY_MAX;
    }

    /** Whether both processes read the same clock. */
    public boolean sharesMachineWith(ClockOffset other) {
        return machine != 0 && machine == other.machine;
    }
}
