package io.belfry.server.control;

import io.belfry.settings.BadValue;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.time.Duration;

/** One line of the control protocol: {@code status}, {@code reload}, {@code drain 2m}, {@code stop}. Immutable. */
public sealed interface ControlRequest {
    record Status() implements ControlRequest {}

    record Reload() implements ControlRequest {}

    record Drain(Duration over) implements ControlRequest {}

    record Stop() implements ControlRequest {}

    /** Parses a request; throws {@link IllegalArgumentException} with a sentence for the sender. */
    static ControlRequest parse(String line) {
        String[] words = line.strip().split("\\s+", -1);
        if (words[0].equals("drain")) {
            return new Drain(time(words.length == 2 ? words[1] : ""));
        }
        if (words.length > 1) {
            throw new IllegalArgumentException("'" + words[0] + "' takes no argument");
        }
        return switch (words[0]) {
            case "status" -> new Status();
            case "reload" -> new Reload();
            case "stop" -> new Stop();
            default ->
                throw new IllegalArgumentException("unknown request; known are status, reload, drain TIME, stop");
        };
    }

    default String toWire() {
        return switch (this) {
            case Status status -> "status";
            case Reload reload -> "reload";
            case Drain drain -> "drain " + drain.over().toMillis() + "ms";
            case Stop stop -> "stop";
        };
    }

    /** Parses a time as configuration files write it, of at most a day. */
    static Duration time(String text) {
        try {
            return Duration.ofMillis(
                    ValueType.time(TimeScale.S, 0, 24 * TimeScale.H.millis()).parse(text));
        } catch (BadValue bad) {
            throw new IllegalArgumentException("the time of a drain " + bad.rule() + ", for example 2m", bad);
        }
    }
}
