package io.belfry.bench;

/** {@code bin/benchsub report A.hlog B.hlog ... -o report.html}. */
public final class Merge {
    private Merge() {}

    public static void main(String... arguments) {
        System.exit(CommandLines.of(new MergeCommand()).execute(arguments));
    }
}
