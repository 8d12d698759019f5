package io.belfry.server.workgroup;

import io.belfry.server.config.LoadLimitConfig;
import java.util.List;
import java.util.function.IntSupplier;

/** A lane's shares of what is bounded for all lanes together. Owner: the lane's loop. */
final class Shares {
    private final Share subjects;
    private final Share patterns;
    private LoadLimitConfig limits;

    Shares(IntSupplier subjects, IntSupplier patterns, LoadLimitConfig limits) {
        this.subjects = new Share(subjects);
        this.patterns = new Share(patterns);
        this.limits = limits;
    }

    void reconfigure(LoadLimitConfig next) {
        limits = next;
    }

    /** Whether a subject that is not known yet is one too many. */
    boolean hasAllSubjects() {
        return subjects.isFull(limits.subjects());
    }

    /** Whether one more subscription to a pattern is one too many. */
    boolean hasAllPatterns() {
        return patterns.isFull(limits.patterns());
    }

    /** Tells the other lanes what is held here, and looks at what they told. */
    void exchange(List<Shares> all) {
        subjects.tell();
        patterns.tell();
        long otherSubjects = -subjects.told();
        long otherPatterns = -patterns.told();
        for (Shares each : all) {
            otherSubjects += each.subjects.told();
            otherPatterns += each.patterns.told();
        }
        subjects.onOthers(otherSubjects);
        patterns.onOthers(otherPatterns);
    }
}
