package io.belfry.spi.entitlement;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The rights of a client, and who it is. Immutable.
 *
 * <p>A segment <code>{user}</code> of a pattern stands for the name of the user. A grant with it is an error, and the client is
 * refused, if the user has no name or if the name cannot be one segment of a subject.
 *
 * @param subscribe subjects and patterns that the client may subscribe to; a pattern that it asks for must be covered
 *     by one of them
 * @param publish subjects and patterns that the client may publish to
 * @param system whether the client may subscribe to the server's own subjects, which begin with {@code /$}; patterns of
 *     {@code subscribe} never include them
 * @param expires end of the grant; a session that has sent no new token by then is closed
 * @param user name of the user, at most 255 bytes; empty for an anonymous client. Limits per user, {@code /stats} and the
 *     server API use it
 */
public record Grant(
        List<String> subscribe,
        List<String> publish,
        boolean system,
        Optional<Instant> expires,
        Optional<String> user) {
    public Grant {
        subscribe = List.copyOf(subscribe);
        publish = List.copyOf(publish);
    }

    /** Creates a grant for an anonymous client. */
    public Grant(List<String> subscribe, List<String> publish, boolean system, Optional<Instant> expires) {
        this(subscribe, publish, system, expires, Optional.empty());
    }

    /** Creates a grant for an anonymous client, without the right to the server's own subjects. */
    public Grant(List<String> subscribe, List<String> publish, Optional<Instant> expires) {
        this(subscribe, publish, false, expires);
    }

    /** Returns a grant without rights: the client may connect and send a token later. */
    public static Grant nothing() {
        return of(List.of(), List.of());
    }

    /** Returns a grant of these rights that does not expire. */
    public static Grant of(List<String> subscribe, List<String> publish) {
        return new Grant(subscribe, publish, Optional.empty());
    }

    /** Returns this grant with an end. */
    public Grant until(Instant moment) {
        return new Grant(subscribe, publish, system, Optional.of(moment), user);
    }

    /** Returns this grant with the right to subscribe to the server's own subjects. */
    public Grant withSystem() {
        return new Grant(subscribe, publish, true, expires, user);
    }

    /** Returns this grant for a named user. */
    public Grant withUser(String name) {
        return new Grant(subscribe, publish, system, expires, Optional.of(name));
    }
}
