package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs {@code bin/belfry cluster} as a user does. */
@Tag("complete")
final class ClusterScriptTest {
    private static final Pattern ADDRESS = Pattern.compile("ws://127\\.0\\.0\\.1:(\\d+)/");

    @TempDir
    private Path folder = Path.of("");

    private Tool.Result cluster(String... arguments) {
        return belfry(Stream.concat(Stream.of("cluster"), Stream.of(arguments)).toArray(String[]::new));
    }

    private Tool.Result belfry(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "sh", TestMachine.root().resolve("bin").resolve("belfry").toString()));
        command.addAll(List.of(arguments));
        try (Tool tool = Tool.start(
                folder, Map.of("BELFRY_RUN_FOLDER", folder.resolve("run").toString()), command)) {
            return tool.await();
        }
    }

    @AfterEach
    void down() {
        cluster("down");
    }

    @Test
    void aClusterStartsWorksAndStops() throws IOException {
        assertThat(cluster("status").exitCode()).isEqualTo(3);
        String up = cluster("up", "--nodes", "2", "--port", "0", "--set", "Kafka.Partitions=4")
                .wellDone();
        List<Integer> ports = new ArrayList<>();
        for (Matcher each = ADDRESS.matcher(up); each.find(); ) {
            ports.add(Integer.valueOf(each.group(1)));
        }
        assertThat(ports).hasSize(2);
        assertThat(cluster("up").exitCode()).as("already running").isEqualTo(1);
        try (Http toFirst = Http.to(ports.get(0));
                Http toSecond = Http.to(ports.get(1))) {
            assertThat(toFirst.post("/publish?subject=/up", "hello").status()).isEqualTo(200);
            Await.until(
                    "the other node has the message",
                    () -> toSecond.get("/history?subject=/up&count=1").body().contains("hello"));
        }
        assertThat(cluster("status").wellDone()).contains("node 1", "node 2", "ready", "lag 0", "broker 1  pid");
        anEndedNodeStartsAgain();
        assertThat(cluster("down").wellDone()).contains("the cluster is stopped");
        assertThat(cluster("status").exitCode()).isEqualTo(3);
    }

    private void anEndedNodeStartsAgain() throws IOException {
        Path settings = folder.resolve("run").resolve("cluster").resolve("cluster-1.conf");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(settings)))
                .as("permissions of the file with the --set values")
                .isEqualTo("rw-------");
        belfry("stop", "--name", "cluster-1").wellDone();
        assertThat(cluster("status").output()).contains("does not answer", "-c " + settings);
        belfry("start", "--name", "cluster-1", "-c", settings.toString()).wellDone();
        assertThat(cluster("status").wellDone()).doesNotContain("does not answer");
    }
}
