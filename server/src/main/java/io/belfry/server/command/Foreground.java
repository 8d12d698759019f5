package io.belfry.server.command;

import io.belfry.server.config.ConfigDiff;
import io.belfry.server.config.ConfigKey;
import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.control.ControlTarget;
import io.belfry.server.log.LogSetup;
import io.belfry.settings.Settings;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Controls the server of this process for the control socket and the signal handlers, which call it from their own
 * threads. This object's lock guards the configuration that a reload compares with.
 */
final class Foreground implements ControlTarget {
    private static final Logger LOG = LoggerFactory.getLogger(Foreground.class);

    private final RunningServer server;
    private final ConfigOptions options;
    private final LogSetup log;
    private EffectiveConfig running;

    Foreground(RunningServer server, EffectiveConfig running, ConfigOptions options, LogSetup log) {
        this.server = server;
        this.options = options;
        this.log = log;
        this.running = running;
    }

    @Override
    public String status() {
        return server.status();
    }

    /** Reloads the configuration; returns the changes. Throws SettingsException, without changes, if it is invalid. */
    @Override
    public synchronized List<String> reload() {
        EffectiveConfig read = options.load();
        EffectiveConfig next = running.reloadedWith(read);
        List<String> lines = lines(ConfigDiff.between(running, read), read);
        log.level(next.config().process().log().level());
        server.reconfigure(next.config());
        server.configured(next);
        running = next;
        lines.forEach(line -> LOG.info("reload: {}", line));
        return lines;
    }

    private List<String> lines(ConfigDiff diff, EffectiveConfig read) {
        if (diff.isEmpty()) {
            return List.of("nothing changed");
        }
        return Stream.concat(
                        diff.atOnce().stream().map(key -> line(key, read)),
                        diff.atRestart().stream().map(key -> line(key, read) + " (takes effect after a restart)"))
                .toList();
    }

    private String line(ConfigKey key, EffectiveConfig read) {
        return key.keyName() + ": " + shown(key, running) + " -> " + shown(key, read);
    }

    private static String shown(ConfigKey key, EffectiveConfig config) {
        if (key.secret()) {
            return Settings.HIDDEN;
        }
        return key.pattern()
                ? config.settings().under(key).toString()
                : config.settings().text(key).orElse("not set");
    }

    @Override
    public void drain(Duration over) {
        LOG.info("draining over {} s", over.toSeconds());
        server.drain(over);
    }

    @Override
    public void stop() {
        LOG.info("stopping");
        server.stop();
    }
}
