package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.Optional;

/**
 * One kind of attack. Its body reports wrong responses of the server to the context; whether regular clients suffered is
 * measured elsewhere. Immutable.
 *
 * @param name in lower case with hyphens
 * @param description what the attack does, in one line
 */
public record Attack(String name, String description, Requirement requirement, Body body) {
    /** The code of an attack; throws if a connection fails that the server should have accepted. */
    public interface Body {
        /** Runs the attack until it is complete or its time is over. */
        void run(AttackContext context) throws IOException;
    }

    /** The feature that a configuration must have for an attack to apply. */
    public enum Requirement {
        NONE,
        TLS,
        COMPRESSION,
        TOKEN
    }

    /** Creates an attack that applies to every configuration. */
    public Attack(String name, String description, Body body) {
        this(name, description, Requirement.NONE, body);
    }

    /** Returns why the attack does not apply to this configuration; empty if it does. */
    public Optional<String> skipReason(EffectiveSettings settings) {
        return switch (requirement) {
            case NONE -> Optional.empty();
            case TLS -> unless(settings.encrypted(), "ListenEncrypted is not set");
            case COMPRESSION -> unless(settings.compression(), "Compression is off");
            case TOKEN -> unless(settings.token() != null, "no token is needed");
        };
    }

    private static Optional<String> unless(boolean applies, String reason) {
        return applies ? Optional.empty() : Optional.of("not applicable: " + reason);
    }
}
