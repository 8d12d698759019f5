package io.belfry.attack.campaign;

import io.belfry.attack.server.Memory;
import io.belfry.attack.witness.Testimony;
import java.util.ArrayList;
import java.util.List;

/** How one attack ended. Immutable. */
public sealed interface Verdict {
    String name();

    /**
     * It ran. {@code faults} empty: the server held. {@code did} says what was done and how the server met it, {@code
     * peakBytes} the most memory that it had of the machine's meanwhile, 0 where that is not told.
     */
    record Fought(
            String name,
            List<String> faults,
            List<String> did,
            double seconds,
            Testimony testimony,
            Memory before,
            Memory after,
            long peakBytes)
            implements Verdict {
        public Fought {
            faults = List.copyOf(faults);
            did = List.copyOf(did);
        }

        /** The same, of a second round: the first one's only fault was that the witness's messages came late. */
        Fought again() {
            List<String> both = new ArrayList<>(did);
            both.add("in the second round");
            return new Fought(name, faults, both, seconds, testimony, before, after, peakBytes);
        }

        public boolean held() {
            return faults.isEmpty();
        }
    }

    /** It does not apply to this configuration. */
    record Skipped(String name, String reason) implements Verdict {}

    /** It came to no end: the server is gone, or the attack itself failed. */
    record Broken(String name, String reason) implements Verdict {}

    /** Whether this stands in the way of exit code 0. */
    default boolean isWell() {
        return switch (this) {
            case Fought fought -> fought.held();
            case Skipped skipped -> true;
            case Broken broken -> false;
        };
    }
}
