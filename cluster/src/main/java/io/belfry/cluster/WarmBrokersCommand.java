package io.belfry.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Records the AOT cache of the brokers. */
@Command(
        name = "warm",
        description = {
            "records the AOT cache of the brokers, with which each start of a broker takes half of the processor time",
            "It starts and stops a broker, which takes about 20 s. Run it again after an update of the JDK or of Kafka."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class WarmBrokersCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        Path classPath = Brokers.classPath(ClusterCommand.home());
        BrokerCache cache = new BrokerCache(classPath);
        // On the same file system as the cache, so that the finished file can be moved at once.
        Path folder = Files.createTempDirectory(classPath.getParent(), "warm");
        cache.record(folder);
        UpCommand.clear(folder);
        spec.commandLine()
                .getOut()
                .println("recorded " + cache.file() + ", " + (Files.size(cache.file()) >> 20) + " MB");
        return ClusterCommand.SUCCESS;
    }
}
