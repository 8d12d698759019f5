package io.belfry.server.command;

import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.config.HistoryWindow;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.doctor.Doctor;
import io.belfry.server.doctor.Finding;
import io.belfry.server.tls.TlsException;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Checks whether a server would accept the configuration, and prints the effective values. */
@Command(
        name = "check",
        description = "checks the configuration and prints the effective one with secrets hidden; starts nothing",
        sortOptions = false)
final class CheckCommand extends ConfiguredCommand {
    @Override
    public Integer call() {
        // Rejects an invalid server name.
        instance();
        EffectiveConfig effective = options().load();
        effective.lines().forEach(out()::println);
        // Printed as a comment, so that the output remains a valid configuration file.
        out().println("# " + HistoryWindow.sentence(effective.config()));
        Optional<Finding> obstacle = Doctor.obstacle(effective.config());
        obstacle.ifPresent(err()::println);
        int certificate = checkCertificate(effective.config());
        return obstacle.isEmpty() ? certificate : Exit.FAILED;
    }

    /** Checks the certificate files; returns an exit code. Certificates are not part of the configuration text. */
    private int checkCertificate(ServerConfig checked) {
        try {
            CertificateCheck.warnings(checked).forEach(warning -> err().println("warning: " + warning));
            return Exit.WELL;
        } catch (TlsException unusable) {
            err().println(unusable.getMessage());
            return Exit.USAGE;
        }
    }
}
