package io.belfry.server.command;

import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.config.SecretFiles;
import io.belfry.server.control.ControlSocket;
import io.belfry.server.control.RunFolder;
import io.belfry.server.doctor.Doctor;
import io.belfry.server.doctor.Host;
import io.belfry.server.doctor.HostReader;
import io.belfry.server.log.LogSetup;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs a server in this process until somebody stops it. */
@Command(
        name = "run",
        description = "runs the server in the foreground; SIGTERM or Ctrl-C stops it, SIGHUP reloads the configuration",
        sortOptions = false)
final class RunCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger(RunCommand.class);

    private final ServerLauncher launcher;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    @Mixin
    private InstanceOptions instance = new InstanceOptions();

    @Option(names = "--daemon", hidden = true, description = "logs to the file only")
    private boolean daemon;

    RunCommand(ServerLauncher launcher) {
        this.launcher = launcher;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        EffectiveConfig config = options.load();
        RunFolder folder = instance.instance().folder();
        Optional<RunFolder.Claim> claim = folder.claim();
        if (claim.isEmpty()) {
            err().println(instance.instance().describe() + " already; --name lets another run beside it");
            return Exit.FAILED;
        }
        try (RunFolder.Claim held = claim.get();
                LogSetup log = LogSetup.open(config.config().log(), folder.name(), !daemon)) {
            return run(config, held, log);
        }
    }

    private int run(EffectiveConfig config, RunFolder.Claim claim, LogSetup log)
            throws IOException, InterruptedException {
        LOG.info(
                "starting, pid {}, Java {}, configuration from {}",
                ProcessHandle.current().pid(),
                Runtime.version(),
                options.origin());
        try {
            warnOfSecrets(config);
            PortProbe.requireFree(config.config());
            Host host = HostReader.here(true, config.config().history().folder());
            Doctor.warnings(config.config(), host).forEach(LOG::warn);
            Optional<String> failure = serve(config, claim, log);
            LOG.info("stopped{}", failure.map(reason -> ", since " + reason).orElse(""));
            return failure.isEmpty() ? Exit.WELL : Exit.FAILED;
        } catch (IOException | RuntimeException e) {
            LOG.error("cannot start: {}", BelfryCommand.explain(e));
            LOG.debug("the failure of the start", e);
            if (daemon) {
                err().println("cannot start: " + BelfryCommand.explain(e));
            }
            return Exit.FAILED;
        }
    }

    /** The JVM shows its command line to whoever reads its beans. */
    private void warnOfSecrets(EffectiveConfig config) throws IOException {
        if (options.fileWithSecrets(config).isPresent()) {
            SecretFiles.warnWhereOthersCanRead(
                    "the configuration file, which has secrets,",
                    options.fileWithSecrets(config).get());
        }
        if (!options.secretsInArguments().isEmpty()) {
            System.setProperty("sun.java.command", "belfry run (arguments hidden)");
            LOG.warn(
                    "{} came with --set, and arguments can be read by every user of this machine: use a file or the"
                            + " environment",
                    String.join(", ", options.secretsInArguments()));
        }
    }

    /** Answers why it stopped by itself, if it did. */
    private Optional<String> serve(EffectiveConfig config, RunFolder.Claim claim, LogSetup log)
            throws IOException, InterruptedException {
        RunningServer server = launcher.launch(config.config());
        Foreground foreground = new Foreground(server, config, options, log);
        try (ControlSocket socket = ControlSocket.open(claim.socket(), foreground)) {
            LOG.debug("control socket {} open: {}", claim.socket(), socket);
            Signals.direct(foreground);
            server.awaitStopped();
        } finally {
            server.stop();
        }
        return server.failure();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
