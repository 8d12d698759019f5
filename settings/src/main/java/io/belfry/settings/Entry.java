package io.belfry.settings;

/**
 * One {@code Name = value} as it was written in a source. Immutable; {@code toString} omits the value, which may be a
 * secret.
 */
public record Entry(String name, String value, Origin origin) {
    @Override
    public String toString() {
        return name + " (" + origin + ")";
    }
}
