package io.belfry.server.alert;

/**
 * A raised alert. Immutable.
 *
 * @param reason the figures that made the condition true
 * @param sinceMillis time at which its condition became true, in ms since 1970
 */
public record Alert(AlertRule rule, String reason, long sinceMillis) {
    /** Returns title and reason as one line. */
    public String sentence() {
        return rule.title() + ": " + reason;
    }
}
