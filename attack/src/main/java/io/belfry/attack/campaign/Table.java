package io.belfry.attack.campaign;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Verdicts as lines of text, one each and aligned. Pure. */
final class Table {
    private Table() {}

    static String head() {
        return String.format(
                Locale.ROOT,
                "%-20s %-9s %11s %6s %10s %9s %8s %8s  %s",
                "attack",
                "verdict",
                "witness p99",
                "lost",
                "newcomers",
                "peak",
                "memory",
                "heap",
                "what was seen");
    }

    static String line(Verdict verdict) {
        return switch (verdict) {
            case Verdict.Fought fought -> fought(fought);
            case Verdict.Skipped skipped -> plain(skipped.name(), "skipped", skipped.reason());
            case Verdict.Broken broken -> plain(broken.name(), "gave way", broken.reason());
        };
    }

    private static String plain(String name, String word, String text) {
        return String.format(
                Locale.ROOT, "%-20s %-9s %11s %6s %10s %9s %8s %8s  %s", name, word, "", "", "", "", "", "", text);
    }

    private static String fought(Verdict.Fought fought) {
        List<String> words = new ArrayList<>(fought.faults());
        words.addAll(fought.did());
        return String.format(
                        Locale.ROOT,
                        "%-20s %-9s %8.1f ms %6d %10s %9s %+7.1f%% %+7.1f%%  %s",
                        fought.name(),
                        fought.held() ? "held" : "gave way",
                        fought.testimony().p99Millis(),
                        fought.testimony().lost(),
                        fought.testimony().newcomers() + "/"
                                + (fought.testimony().newcomers()
                                        + fought.testimony().turnedAway()),
                        peak(fought),
                        change(
                                fought.before().apartFromHistory(),
                                fought.after().apartFromHistory()),
                        change(fought.before().heapBytes(), fought.after().heapBytes()),
                        String.join("; ", words))
                .stripTrailing();
    }

    /** In MB, beyond what there was before. */
    private static String peak(Verdict.Fought fought) {
        long more = fought.peakBytes() - fought.before().residentBytes();
        return fought.peakBytes() == 0 ? "" : String.format(Locale.ROOT, "+%.1f MB", Math.max(0, more) / 1048576.0);
    }

    private static double change(long before, long after) {
        return before == 0 ? 0 : 100.0 * (after - before) / before;
    }
}
