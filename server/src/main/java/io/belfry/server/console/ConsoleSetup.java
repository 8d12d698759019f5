package io.belfry.server.console;

import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.config.MonitorConfig;
import io.belfry.server.monitor.Monitored;
import io.belfry.server.workgroup.LaneInspector;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The parts of the server that the console shows. Immutable.
 *
 * @param site folder of the built pages
 * @param addresses addresses of the listeners for clients, without the host, such as {@code ws://:8800}
 * @param effective the configuration with its sources; empty if the server was started without a configuration
 */
public record ConsoleSetup(
        MonitorConfig config,
        Monitored monitored,
        Path site,
        List<LaneInspector> lanes,
        List<String> addresses,
        Supplier<Optional<EffectiveConfig>> effective) {
    public ConsoleSetup {
        lanes = List.copyOf(lanes);
        addresses = List.copyOf(addresses);
    }
}
