package io.belfry.server.command;

import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.doctor.Doctor;
import io.belfry.server.doctor.Finding;
import io.belfry.server.tls.TlsException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says whether a server would take the configuration, and what it would make of it. */
@Command(
        name = "check",
        description = "checks the configuration and prints the effective one, secrets hidden",
        sortOptions = false)
final class CheckCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Override
    public Integer call() {
        EffectiveConfig effective = config.load();
        effective.lines().forEach(spec.commandLine().getOut()::println);
        Optional<Finding> obstacle = Doctor.obstacle(effective.config());
        obstacle.ifPresent(spec.commandLine().getErr()::println);
        int certificate = judgeCertificate(effective.config());
        return obstacle.isEmpty() ? certificate : Exit.FAILED;
    }

    /** What stands in files of their own is judged where it is going to be used. */
    private int judgeCertificate(ServerConfig checked) {
        PrintWriter err = spec.commandLine().getErr();
        try {
            CertificateCheck.warnings(checked).forEach(warning -> err.println("warning: " + warning));
            return Exit.WELL;
        } catch (TlsException unusable) {
            err.println(unusable.getMessage());
            return Exit.USAGE;
        }
    }
}
