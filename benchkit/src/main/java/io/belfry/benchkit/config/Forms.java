package io.belfry.benchkit.config;

import io.belfry.benchkit.load.HoldTime;
import io.belfry.settings.BadValue;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses values that only the load generators have; throws {@link IllegalArgumentException} with the rule. Pure. */
final class Forms {
    private static final Pattern HOLD_TIME = Pattern.compile("(.+?)(?:\\s*(?:\\+-|\\+/-|±)\\s*([\\d.]+)\\s*%)?");
    private static final Pattern SHARE = Pattern.compile("([\\d.]+)\\s*%");
    private static final ValueType<Long> TIME = ValueType.time(TimeScale.S, 1, Long.MAX_VALUE / 1_000_000);

    private Forms() {}

    /** Parses {@code 1 s +-10 %}; without a share the time is exact. */
    static HoldTime holdTime(String text) {
        Matcher form = HOLD_TIME.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException("must be a time with an optional share: 1 s +-10 %");
        }
        double percent = form.group(2) == null ? 0 : number(form.group(2));
        if (percent > 100) {
            throw new IllegalArgumentException("a hold time varies by at most 100 %");
        }
        try {
            return new HoldTime(Duration.ofMillis(TIME.parse(form.group(1))), percent / 100);
        } catch (BadValue e) {
            throw new IllegalArgumentException(e.rule() + ": 1 s +-10 %", e);
        }
    }

    /** Parses {@code 1 %} to 0.01. */
    static double share(String text) {
        Matcher form = SHARE.matcher(text);
        double percent = form.matches() ? number(form.group(1)) : -1;
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("must be a share from 0 % to 100 %");
        }
        return percent / 100;
    }

    static double frequency(String text) {
        double perSecond = number(text);
        if (perSecond > 0 && perSecond <= 1e9) {
            return perSecond;
        }
        throw new IllegalArgumentException("must be above 0");
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("must be a number", e);
        }
    }
}
