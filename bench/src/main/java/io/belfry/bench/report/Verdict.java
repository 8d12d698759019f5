package io.belfry.bench.report;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * What is judged, by several checks: whether the load generators were the limit, or whether a claim holds. Immutable.
 *
 * @param level that of the worst check
 */
public record Verdict(Level level, String title, String sentence, List<Check> checks) {
    /** Worse ones later. */
    public enum Level {
        GREEN,
        YELLOW,
        RED;

        @JsonValue
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Below {@code fair} green, below {@code bad} yellow, else red. */
        static Level of(double value, double fair, double bad) {
            return value < fair ? GREEN : value < bad ? YELLOW : RED;
        }
    }

    /** One thing looked at: its value, and what that means. */
    public record Check(String name, Level level, String value, String sentence) {}

    public Verdict {
        checks = List.copyOf(checks);
    }

    static Verdict of(List<Check> checks) {
        if (checks.isEmpty()) {
            return new Verdict(
                    Level.YELLOW,
                    "Nothing is known of the generators",
                    "They left no figures of their own, so whether they were the limit cannot be told.",
                    checks);
        }
        Check worst = checks.stream().max(Comparator.comparing(Check::level)).orElseThrow();
        return switch (worst.level()) {
            case GREEN ->
                new Verdict(
                        Level.GREEN,
                        "The generators kept up",
                        "They were on time and had CPU to spare: the figures are of the server on this machine.",
                        checks);
            case YELLOW ->
                new Verdict(
                        Level.YELLOW,
                        "Read the figures with care",
                        capital(worst.name()) + ": " + worst.value() + ", " + worst.sentence() + ".",
                        checks);
            case RED ->
                new Verdict(
                        Level.RED,
                        "The generator was the limit",
                        capital(worst.name()) + ": " + worst.value() + ", " + worst.sentence() + ".",
                        checks);
        };
    }

    /** Of what a scenario is there to show: {@code holds} or {@code fails}, by the worst check. */
    static Verdict claim(String holds, String fails, List<Check> checks) {
        Check worst = checks.stream().max(Comparator.comparing(Check::level)).orElseThrow();
        return worst.level() == Level.GREEN
                ? new Verdict(
                        Level.GREEN,
                        holds,
                        capital(checks.getFirst().name()) + ": "
                                + checks.getFirst().value() + ".",
                        checks)
                : new Verdict(
                        worst.level(),
                        fails,
                        capital(worst.name()) + ": " + worst.value() + ", " + worst.sentence() + ".",
                        checks);
    }

    private static String capital(String text) {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
