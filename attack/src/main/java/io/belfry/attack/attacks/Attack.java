package io.belfry.attack.attacks;

import io.belfry.attack.server.Facts;
import java.io.IOException;
import java.util.Optional;

/**
 * One way to harm a server. It says itself what came of what it sent ({@link Field#gaveWay}); whether others were harmed
 * meanwhile is not its business. Owner: the attacking thread.
 */
public interface Attack {
    /** In lower case, with hyphens. */
    String name();

    /** What it does, in one line. */
    String sentence();

    /** Why it cannot be tried on this configuration; empty: it can. */
    default Optional<String> off(Facts facts) {
        return Optional.empty();
    }

    /** Throws where a connection that should have stood did not. */
    void run(Field field) throws IOException;
}
