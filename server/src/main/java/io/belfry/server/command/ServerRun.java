package io.belfry.server.command;

import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.config.SecretFiles;
import io.belfry.server.control.ControlSocket;
import io.belfry.server.control.RunFolder;
import io.belfry.server.doctor.Doctor;
import io.belfry.server.doctor.Host;
import io.belfry.server.doctor.HostReader;
import io.belfry.server.log.LogSetup;
import io.belfry.server.log.UncaughtExceptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server that runs in this process until it is stopped. Owner: the main thread.
 *
 * @param daemon whether the log is written to the file only
 */
record ServerRun(ServerLauncher launcher, Instance instance, ConfigOptions options, boolean daemon, PrintWriter err) {
    private static final Logger LOG = LoggerFactory.getLogger(ServerRun.class);

    /** Runs the server; returns an exit code when it has stopped. */
    int run() throws IOException, InterruptedException {
        EffectiveConfig config = options.load();
        RunFolder folder = instance.folder();
        Optional<RunFolder.Claim> claim = folder.claim();
        if (claim.isEmpty()) {
            err.println(instance.describe() + "; use --name to run another server next to it");
            return Exit.FAILED;
        }
        try (RunFolder.Claim held = claim.get();
                LogSetup log = LogSetup.open(config.config().process().log(), folder.name(), !daemon)) {
            return run(config, held, log);
        }
    }

    private int run(EffectiveConfig config, RunFolder.Claim claim, LogSetup log)
            throws IOException, InterruptedException {
        UncaughtExceptions.log();
        LOG.info(
                "starting, pid {}, Java {}, {}, configuration from {}",
                ProcessHandle.current().pid(),
                Runtime.version(),
                AotCache.use(),
                options.origin());
        try {
            warnAboutSecrets(config);
            PortProbe.requireFree(config.config());
            Host host = HostReader.here(true, config.config().history().folder());
            Doctor.warnings(config.config(), host).forEach(LOG::warn);
            Optional<String> failure = serve(config, claim, log);
            LOG.info("stopped{}", failure.map(reason -> ", because " + reason).orElse(""));
            return failure.isEmpty() ? Exit.WELL : Exit.FAILED;
        } catch (IOException | RuntimeException e) {
            LOG.error("cannot start: {}", FailedCommand.explain(e));
            LOG.debug("stack trace of the failed start", e);
            if (daemon) {
                err.println("cannot start: " + FailedCommand.explain(e));
            }
            return Exit.FAILED;
        }
    }

    /** Warns about secrets that other users can read, and hides the command line that the JVM's beans publish. */
    private void warnAboutSecrets(EffectiveConfig config) throws IOException {
        if (options.fileWithSecrets(config).isPresent()) {
            SecretFiles.warnWhereOthersCanRead(
                    "the configuration file, which contains secrets,",
                    options.fileWithSecrets(config).get());
        }
        if (!options.secretsInArguments().isEmpty()) {
            System.setProperty("sun.java.command", "belfry run (arguments hidden)");
            LOG.warn(
                    "{} set with --set: every user of this machine can read it; use a file or the environment",
                    String.join(", ", options.secretsInArguments()));
        }
    }

    /** Runs the server until it stops; returns the reason if it stopped because of a failure. */
    private Optional<String> serve(EffectiveConfig config, RunFolder.Claim claim, LogSetup log)
            throws IOException, InterruptedException {
        RunningServer server = launcher.launch(config.config());
        server.configured(config);
        Foreground foreground = new Foreground(server, config, options, log);
        try (ControlSocket socket = ControlSocket.open(claim.socket(), foreground)) {
            LOG.debug("control socket {} open: {}", claim.socket(), socket);
            Signals.install(foreground);
            server.awaitStopped();
        } finally {
            server.stop();
        }
        return server.failure();
    }
}
