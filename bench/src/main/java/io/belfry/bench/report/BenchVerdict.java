package io.belfry.bench.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The result of several checks: whether the load generators were the limit, or whether a claim holds. Immutable.
 *
 * @param level the level of the worst check
 */
public record BenchVerdict(Level level, String title, String sentence, List<Check> checks) {
    /** The levels, from good to bad. */
    public enum Level {
        GREEN,
        YELLOW,
        RED;

        /** The name of the level in reports. */
        @JsonValue
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Green if a condition holds, otherwise red. */
        static Level of(boolean holds) {
            return holds ? GREEN : RED;
        }
    }

    /** One check: its value and the meaning of the value. */
    public record Check(String name, Level level, String value, String sentence) {
        private String text() {
            return Character.toUpperCase(name.charAt(0)) + name.substring(1) + ": " + value;
        }
    }

    /** Whether the load generators were the limit. */
    static BenchVerdict ofGenerators(List<Check> checks) {
        if (checks.isEmpty()) {
            return new BenchVerdict(
                    Level.YELLOW,
                    "Nothing is known about the generators",
                    "They left no figures of their own, so they may have been the limit.",
                    checks);
        }
        Check worst = worst(checks);
        return switch (worst.level()) {
            case GREEN ->
                new BenchVerdict(
                        Level.GREEN,
                        "The generators kept up",
                        "They were on time and had spare CPU: the figures are those of the server on this machine.",
                        checks);
            case YELLOW -> of("The generators had a part in the figures", worst, checks);
            case RED -> of("The generator was the limit", worst, checks);
        };
    }

    /** Whether a claim holds: with the title {@code holds} if all checks are green, otherwise {@code fails}. */
    static BenchVerdict ofClaim(String holds, String fails, List<Check> checks) {
        Check worst = worst(checks);
        return worst.level() == Level.GREEN
                ? new BenchVerdict(Level.GREEN, holds, checks.getFirst().text() + ".", checks)
                : of(fails, worst, checks);
    }

    private static BenchVerdict of(String title, Check worst, List<Check> checks) {
        return new BenchVerdict(worst.level(), title, worst.text() + ", " + worst.sentence() + ".", checks);
    }

    private static Check worst(List<Check> checks) {
        return checks.stream().max(Comparator.comparing(Check::level)).orElseThrow();
    }
}
