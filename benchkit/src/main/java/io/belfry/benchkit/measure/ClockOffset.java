package io.belfry.benchkit.measure;

/**
 * How far the server's clock is ahead of a process's, as that process found out by asking. Immutable.
 *
 * @param uncertaintyMicros the true offset is not further away than this; {@link #UNCERTAINTY_MAX} = not known
 * @param machine the same number for all processes of a machine since it was started
 */
public record ClockOffset(long micros, long uncertaintyMicros, int machine) {
    public static final long UNCERTAINTY_MAX = (1L << 25) - 1;
    public static final ClockOffset UNKNOWN = unknown(0);

    public static ClockOffset unknown(int machine) {
        return new ClockOffset(0, UNCERTAINTY_MAX, machine);
    }

    public boolean isKnown() {
        return uncertaintyMicros < UNCERTAINTY_MAX;
    }

    /** How far the clock that {@code this} is about is ahead of the one that {@code other} is about; both are known. */
    public long aheadOfMicros(ClockOffset other) {
        return other.micros - micros;
    }

    /** Of {@link #aheadOfMicros}: two errors add up. */
    public long uncertaintyWithMicros(ClockOffset other) {
        return uncertaintyMicros + other.uncertaintyMicros;
    }

    /** Two processes that read one clock. */
    public boolean sharesMachineWith(ClockOffset other) {
        return machine != 0 && machine == other.machine;
    }
}
