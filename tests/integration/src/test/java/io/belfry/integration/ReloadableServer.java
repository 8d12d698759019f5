package io.belfry.integration;

import io.belfry.server.Server;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A server in this process with the settings that it runs with. Owner: the thread that started it. */
final class ReloadableServer {
    private final List<String> settings;
    private final Server server;

    private ReloadableServer(List<String> settings) throws IOException {
        this.settings = new ArrayList<>(settings);
        server = Server.start(config(this.settings));
    }

    static ReloadableServer start(List<String> settings) throws IOException {
        return new ReloadableServer(settings);
    }

    Server server() {
        return server;
    }

    /**
     * Reloads with one more setting, as the server's own command does. Returns the log line if the reload was refused; a refused
     * reload changes nothing.
     */
    Optional<String> reload(String setting) {
        List<String> next = new ArrayList<>(settings);
        next.add(setting);
        try {
            server.reconfigure(config(next));
            settings.add(setting);
            return Optional.empty();
        } catch (IllegalStateException refused) {
            return Optional.of("not reloaded: " + refused.getMessage());
        }
    }

    private static ServerConfig config(List<String> settings) {
        return ConfigLoader.load(Optional.empty(), Map.of(), settings);
    }
}
