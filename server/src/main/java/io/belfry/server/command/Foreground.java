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
 * The server of this process as its control socket and its signals use it. Called from their threads; what a reload
 * compares with is guarded by this object.
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

    /** Throws a SettingsException, and changes nothing, when the configuration is wrong. */
    @Override
    public synchronized List<String> reload() {
        EffectiveConfig read = options.load();
        EffectiveConfig next = running.reloadedWith(read);
        List<String> lines = lines(ConfigDiff.between(running, read), read);
        log.level(next.config().log().level());
        server.reconfigure(next.config());
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
                        diff.atRestart().stream().map(key -> line(key, read) + " needs a restart"))
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
