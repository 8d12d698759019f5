package io.belfry.server.console;

import com.sun.net.httpserver.HttpHandler;
import io.belfry.server.config.MonitorConfig;
import io.belfry.server.config.SecretFiles;
import io.belfry.server.monitor.Credentials;
import io.belfry.server.monitor.MonitorExtension;
import io.belfry.server.monitor.NodeSummary;
import io.belfry.server.monitor.Snapshot;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The console: pages on the monitor's port that show the state of the server, and that can subscribe and publish. Requests
 * run on the monitor's threads, because an operator opens the console when event loops are slow. Safe for any thread.
 */
public final class Console implements MonitorExtension, AutoCloseable {
    static final String PATH = "/console/";

    private final ConsoleSetup setup;
    private final Site site;
    private final Seconds seconds = new Seconds();
    private final SecondStream stream;
    private final SessionCensus sessions;
    private final SubjectCensus subjects;
    private final StateJson state;
    private final @Nullable Credentials act;

    /** Written and read by the monitor's thread; any thread may add events. */
    private volatile @Nullable SecondJson lines;

    private Console(ConsoleSetup setup, @Nullable Credentials act, Site site) {
        this.setup = setup;
        this.act = act;
        this.site = site;
        stream = new SecondStream(setup, seconds);
        sessions = new SessionCensus(setup.lanes());
        subjects = new SubjectCensus(setup.lanes(), setup.monitored().clock());
        state = new StateJson(setup.monitored());
    }

    /** Reads the files of the pages, and the password of the role {@code act}. */
    public static Console open(ConsoleSetup setup) throws IOException {
        return new Console(setup, act(setup.config()), Site.read(setup.site(), setup.addresses()));
    }

    private static @Nullable Credentials act(MonitorConfig config) throws IOException {
        Optional<String> password = config.console().actPassword();
        if (password.isEmpty() && config.console().actPasswordFile().isPresent()) {
            password = Optional.of(SecretFiles.firstLine(
                    "the console's password file",
                    config.console().actPasswordFile().get()));
        }
        return password.map(secret -> new Credentials(config.username(), secret))
                .orElse(null);
    }

    @Override
    public void onSecond(Second second) {
        Snapshot snapshot = second.snapshot();
        SecondJson writer = lines;
        if (writer == null) {
            // The figures of the next second are differences from the first snapshot.
            lines = new SecondJson(snapshot);
            return;
        }
        List<NodeSummary> nodes = stream.isOpen()
                ? second.nodes().get()
                : List.of(NodeSummary.of(setup.monitored(), snapshot, second.alerts(), second.nowMillis()));
        seconds.add(
                writer.line(seconds.next(), snapshot, second.alerts(), second.nowMillis()),
                state.line(snapshot, second.alerts(), nodes));
        subjects.rest(second.nowMillis());
    }

    /** Adds an event to the current second. */
    public void event(String kind, String text) {
        SecondJson writer = lines;
        if (writer != null) {
            writer.event(kind, text);
        }
    }

    @Override
    public Map<String, HttpHandler> pages(Optional<Credentials> credentials) {
        Logins logins = new Logins(credentials.orElse(null), act, System::nanoTime);
        ConsoleApi api = new ConsoleApi(setup, logins, stream, sessions, subjects, this::event);
        return Map.of(PATH, exchange -> {
            String path = exchange.getRequestURI().getPath();
            if (path.startsWith(ConsoleApi.PATH)) {
                api.handle(exchange);
            } else {
                site.answer(exchange, path.substring(PATH.length())).send(exchange);
            }
        });
    }

    /** Ends the open streams. */
    @Override
    public void close() {
        seconds.close();
    }
}
