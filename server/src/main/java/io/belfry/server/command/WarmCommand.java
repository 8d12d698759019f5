package io.belfry.server.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Records the AOT cache of the JVM, so that the first start after an installation has it. */
@Command(
        name = "warm",
        description = {
            "records the AOT cache: classes and profiles with which the server starts faster and at full speed",
            "It starts a server on loopback for some seconds. Run it after a build or an update of the JDK, once for each"
                    + " BELFRY_JVM_PROFILE in use. Without it the first start records the cache."
        },
        sortOptions = false)
final class WarmCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path home = InstallFolder.path();
        String profile = JvmOptions.profile(System.getenv());
        AotRecorder recorder = AotRecorder.of(home, profile, spec.commandLine().getErr());
        if (!recorder.server().isWritable()) {
            throw new IOException(
                    "cannot write " + recorder.server().file() + "; run this command as the owner of the installation");
        }
        int exit = recorder.record();
        for (AotCache cache : List.of(recorder.server(), recorder.commands())) {
            if (Files.exists(cache.file())) {
                spec.commandLine()
                        .getOut()
                        .println("recorded " + cache.file() + ", " + (Files.size(cache.file()) >> 20) + " MB");
            }
        }
        return exit;
    }
}
