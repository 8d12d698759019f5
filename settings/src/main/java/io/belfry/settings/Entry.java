package io.belfry.settings;

/** One {@code Name = value} as somebody wrote it. Immutable; not shown as text because the value may be a secret. */
public record Entry(String name, String value, Origin origin) {
    @Override
    public String toString() {
        return name + " (" + origin + ")";
    }
}
