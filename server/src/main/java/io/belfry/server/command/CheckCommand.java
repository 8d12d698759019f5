package io.belfry.server.command;

import io.belfry.server.config.EffectiveConfig;
import io.belfry.server.config.HistoryWindow;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.config.SubjectRules;
import io.belfry.server.doctor.Doctor;
import io.belfry.server.doctor.Finding;
import io.belfry.server.tls.TlsException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Checks whether a server would accept the configuration, and prints the effective values. */
@Command(
        name = "check",
        description = "checks the configuration and prints the effective one with secrets hidden; starts nothing",
        sortOptions = false)
final class CheckCommand extends ConfiguredCommand {
    @Option(
            names = "--subject",
            paramLabel = "SUBJECT",
            description = "prints only the options of this subject, and the line Subjects.N that sets each of them")
    private @Nullable String subject;

    @Option(
            names = "--connect",
            description = "also sends a signed test request to each address of Events.Endpoint.* and Decide.Url")
    private boolean connect;

    @Override
    public Integer call() {
        // Rejects an invalid server name.
        instance();
        EffectiveConfig effective = options().load();
        if (subject != null) {
            return describe(subject, effective.config());
        }
        effective.lines().forEach(out()::println);
        // Printed as a comment, so that the output remains a valid configuration file.
        out().println("# " + HistoryWindow.sentence(effective.config()));
        Optional<Finding> obstacle = Doctor.obstacle(effective.config());
        obstacle.ifPresent(err()::println);
        int certificate = checkCertificate(effective.config());
        boolean reachable = !connect || checkReceivers(effective.config());
        return obstacle.isEmpty() && reachable ? certificate : Exit.FAILED;
    }

    /** Sends a request to each address of the application; returns whether all of them answer well. */
    private boolean checkReceivers(ServerConfig checked) {
        try {
            List<ReceiverCheck.Result> results = ReceiverCheck.of(checked, InstantSource.system()::millis);
            for (ReceiverCheck.Result each : results) {
                if (each.well()) {
                    out().println("# " + each.sentence());
                } else {
                    err().println(each.sentence());
                }
            }
            if (results.isEmpty()) {
                out().println("# --connect: no address of an application is configured");
            }
            return results.stream().allMatch(ReceiverCheck.Result::well);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private int describe(String text, ServerConfig checked) {
        String problem = SubjectRules.problem(text);
        if (problem != null) {
            err().println("--subject " + text + ": " + problem);
            return Exit.USAGE;
        }
        checked.subjects().describe(text, checked.slowConsumer()).forEach(out()::println);
        return Exit.WELL;
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
