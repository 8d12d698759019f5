package io.belfry.server.command;

import io.belfry.settings.BadValue;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts times on the command line, which have the same form as in the configuration. Immutable. */
final class TimeConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
        try {
            return Duration.ofMillis(
                    ValueType.time(TimeScale.S, 0, 24 * TimeScale.H.millis()).parse(text.strip()));
        } catch (BadValue e) {
            throw new TypeConversionException("'" + text + "' " + e.rule());
        }
    }
}
