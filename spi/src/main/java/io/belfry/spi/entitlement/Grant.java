package io.belfry.spi.entitlement;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a client may do. Immutable.
 *
 * @param subscribe subjects and patterns it may subscribe to; a pattern it asks for must be covered by one of them
 * @param publish subjects and patterns it may publish to
 * @param expires until when; a session that has shown no new token by then is closed
 */
public record Grant(List<String> subscribe, List<String> publish, Optional<Instant> expires) {
    public Grant {
        subscribe = List.copyOf(subscribe);
        publish = List.copyOf(publish);
    }

    /** May connect, and then show a token. */
    public static Grant nothing() {
        return of(List.of(), List.of());
    }

    public static Grant of(List<String> subscribe, List<String> publish) {
        return new Grant(subscribe, publish, Optional.empty());
    }

    public Grant until(Instant moment) {
        return new Grant(subscribe, publish, Optional.of(moment));
    }
}
