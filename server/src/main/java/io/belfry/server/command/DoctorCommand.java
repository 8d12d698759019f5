package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import io.belfry.server.doctor.Doctor;
import io.belfry.server.doctor.Finding;
import io.belfry.server.doctor.Host;
import io.belfry.server.doctor.HostReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** Checks whether this host meets the needs of the configuration. */
@Command(
        name = "doctor",
        description = "checks this host against the configuration; prints each warning with the command that fixes it",
        sortOptions = false)
final class DoctorCommand extends ConfiguredCommand {
    @Override
    public Integer call() throws IOException {
        ServerConfig wanted = options().load().config();
        Host host = HostReader.here(false, wanted.history().folder());
        if (instance().runs()) {
            // The running server owns these listeners.
            host = host.withoutListeners();
        }
        List<Finding> findings = new ArrayList<>(Doctor.examine(wanted, host));
        findings.addAll(CertificateCheck.findings(wanted));
        findings.forEach(out()::println);
        out().println(
                        findings.isEmpty()
                                ? "no warnings: this host meets the needs of the configuration"
                                : findings.size() + " warning(s); tuning/tune.sh can fix most of them");
        return findings.isEmpty() ? Exit.WELL : Exit.FAILED;
    }
}
