package io.belfry.server.command;

import io.belfry.server.config.ServerConfig;
import io.belfry.server.doctor.Doctor;
import io.belfry.server.doctor.Finding;
import io.belfry.server.doctor.Host;
import io.belfry.server.doctor.HostReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Holds this host against the configuration. */
@Command(
        name = "doctor",
        description = "looks at this host against the configuration; prints each shortfall and the line that mends it",
        sortOptions = false)
final class DoctorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions config = new ConfigOptions();

    @Mixin
    private InstanceOptions options = new InstanceOptions();

    @Override
    public Integer call() throws IOException {
        ServerConfig wanted = config.load().config();
        Host host = HostReader.here(false, wanted.history().folder());
        if (options.instance().runs()) {
            // It is our own server that listens there.
            host = host.withoutListeners();
        }
        List<Finding> findings = new ArrayList<>(Doctor.examine(wanted, host));
        findings.addAll(CertificateCheck.findings(wanted));
        PrintWriter out = spec.commandLine().getOut();
        findings.forEach(out::println);
        out.println(
                findings.isEmpty()
                        ? "this host fits the configuration"
                        : findings.size() + " shortfall(s); tuning/ has files and a script for most of them");
        return findings.isEmpty() ? Exit.WELL : Exit.FAILED;
    }
}
