package io.belfry.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The parts that a server must close. They are added in the order in which they depend on each other, and closed in the
 * reverse order. Owner: the thread that starts or stops the server.
 */
final class OpenParts {
    private static final Logger LOG = LoggerFactory.getLogger(OpenParts.class);

    private final Deque<Part> parts = new ArrayDeque<>();

    private record Part(String name, Runnable close) {}

    /** Adds a part that is closed before all earlier ones. */
    void add(String name, Runnable close) {
        parts.push(new Part(name, close));
    }

    /** Closes all parts. A failure is logged, and the others are closed nevertheless. */
    void close() {
        while (!parts.isEmpty()) {
            Part part = parts.pop();
            try {
                part.close().run();
            } catch (RuntimeException failure) {
                LOG.error("closing {} failed", part.name(), failure);
            }
        }
    }
}
