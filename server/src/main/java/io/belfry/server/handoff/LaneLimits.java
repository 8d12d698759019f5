package io.belfry.server.handoff;

import io.belfry.server.config.LoadLimitConfig;
import java.util.List;
import java.util.function.IntSupplier;

/** A lane's use of the limits that all lanes share. Owner: the lane's loop. */
public final class LaneLimits {
    private final Share subjects;
    private final Share patterns;
    private LoadLimitConfig limits;

    public LaneLimits(IntSupplier subjects, IntSupplier patterns, LoadLimitConfig limits) {
        this.subjects = new Share(subjects);
        this.patterns = new Share(patterns);
        this.limits = limits;
    }

    public void reconfigure(LoadLimitConfig next) {
        limits = next;
    }

    /** Returns whether one more subject would exceed the limit. */
    public boolean hasAllSubjects() {
        return subjects.isFull(limits.subjects());
    }

    /** Returns whether one more pattern subscription would exceed the limit. */
    public boolean hasAllPatterns() {
        return patterns.isFull(limits.patterns());
    }

    /** Reports this lane's use to the other lanes and reads theirs. */
    public void exchange(List<LaneLimits> all) {
        subjects.report();
        patterns.report();
        long otherSubjects = -subjects.reported();
        long otherPatterns = -patterns.reported();
        for (LaneLimits each : all) {
            otherSubjects += each.subjects.reported();
            otherPatterns += each.patterns.reported();
        }
        subjects.onOthers(otherSubjects);
        patterns.onOthers(otherPatterns);
    }
}
