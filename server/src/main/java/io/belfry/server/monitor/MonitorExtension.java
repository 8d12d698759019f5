package io.belfry.server.monitor;

import com.sun.net.httpserver.HttpHandler;
import io.belfry.server.alert.Alert;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** A part of the server that uses the monitor's figures and its HTTP port. */
public interface MonitorExtension {
    /** An extension that does nothing. */
    MonitorExtension NONE = new MonitorExtension() {};

    /**
     * The figures of one second. Immutable.
     *
     * @param alerts raised alerts, the most severe first
     * @param nodes returns the summary of each node; those of other nodes are followed only while somebody calls it
     */
    record Second(Snapshot snapshot, List<Alert> alerts, long nowMillis, Supplier<List<NodeSummary>> nodes) {}

    /** Called once per second on the monitor's thread. */
    default void onSecond(Second second) {}

    /**
     * Returns further pages by their path, such as {@code /console/}. They are called on threads of their own.
     *
     * @param credentials the monitor's credentials; empty if it needs no password
     */
    default Map<String, HttpHandler> pages(Optional<Credentials> credentials) {
        return Map.of();
    }
}
