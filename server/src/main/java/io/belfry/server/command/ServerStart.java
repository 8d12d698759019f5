package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;

/** The start of a server in the background. Immutable. */
record ServerStart(Instance instance, ConfigOptions options, Duration timeout, PrintWriter out, PrintWriter err) {
    /** Starts the server unless it runs; returns an exit code. */
    int start() throws IOException, InterruptedException {
        ServerConfig loaded = options.load().config();
        if (instance.runs()) {
            out.println(instance.describe() + "; no second one was started");
            return Exit.WELL;
        }
        return start(loaded);
    }

    /** Starts the server with a configuration that was read before. */
    int start(ServerConfig loaded) throws IOException, InterruptedException {
        AotRecorder.prepare(InstallFolder.path(), System.getenv(), err);
        return Daemon.of(instance, loaded, options, timeout).start(out, err);
    }
}
