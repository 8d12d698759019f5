package io.belfry.benchkit.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.benchkit.measure.ReportLog;
import io.belfry.benchkit.measure.SharedClock;
import io.belfry.benchkit.stand.StandInServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Runs the programs in this process, over real sockets, and captures their output. Owner: the test. */
final class Programs {
    private final Path folder;

    /** The clock of the publisher's process. */
    SharedClock publisherClock = SharedClock.start();

    SharedClock subscriberClock = SharedClock.start();

    Programs(Path folder) {
        this.folder = folder;
    }

    /** The output of a program: exit code, lines, and the numbers of its JSON report by path. */
    record Output(int code, String lines, Map<String, Double> report) {
        double count(String name) {
            return report.getOrDefault("counts." + name, -1.0);
        }

        double figure(String path) {
            return report.getOrDefault(path, Double.NaN);
        }
    }

    /**
     * Runs 40 clients on 4 subjects and 2 publishers for a second, and stops the clients when they have read everything. The publishers
     * start when all clients know that they have subscribed, because a client counts a lost first message only of a publisher that
     * started later. Clients that read nothing cannot be waited for, so with stalled readers these are pauses.
     */
    Output subscribersAndPublishers(StandInServer server, String... more) throws Exception {
        StopSignal stop = new StopSignal();
        List<String> sets = new ArrayList<>(List.of(
                to(server),
                "Clients=40",
                "Subjects=/p/s{1..4}/-",
                "EventLoops=2",
                "ReportFile=" + folder.resolve("sub.json")));
        sets.addAll(List.of(more));
        CompletableFuture<Output> subscribing = CompletableFuture.supplyAsync(() -> run("sub", stop, sets));
        boolean stalled = sets.stream().anyMatch(set -> set.startsWith("StalledReaders"));
        server.awaitSubscriptions(40);
        awaitRead(server, stalled);
        benchpub(server, "PublisherType=p", "Subjects=/s{1..4}/-", "Publishers=2", "Frequency=400", "Duration=1s");
        awaitRead(server, stalled);
        stop.stop();
        return subscribing.get();
    }

    private static void awaitRead(StandInServer server, boolean stalled) throws Exception {
        if (stalled) {
            Thread.sleep(300);
        } else {
            server.awaitSubscribersHaveRead();
        }
    }

    Output benchpub(StandInServer server, String... more) {
        List<String> sets = new ArrayList<>(List.of(to(server), "ReportFile=" + folder.resolve("pub.json")));
        sets.addAll(List.of(more));
        return run("pub", new StopSignal(), sets);
    }

    static String to(StandInServer server) {
        return "ServerAddresses=127.0.0.1:" + server.address().getPort();
    }

    static StopSignal stopping(int afterMillis) {
        StopSignal stop = new StopSignal();
        Thread.ofPlatform().daemon().start(() -> {
            stop.await(Duration.ofMillis(afterMillis));
            stop.stop();
        });
        return stop;
    }

    Output run(String program, StopSignal stop, List<String> sets) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ReportLog log = new ReportLog(new PrintStream(bytes, true, StandardCharsets.UTF_8), LocalDateTime::now);
        List<String> arguments = new ArrayList<>();
        sets.forEach(set -> arguments.addAll(List.of("--set", set)));
        String[] array = arguments.toArray(String[]::new);
        int code = program.equals("sub")
                ? BenchProgram.benchsub().run(subscriberClock, log, stop, Map.of(), array)
                : BenchProgram.benchpub().run(publisherClock, log, stop, Map.of(), array);
        return new Output(code, bytes.toString(StandardCharsets.UTF_8), numbers(folder.resolve(program + ".json")));
    }

    private static Map<String, Double> numbers(Path file) {
        Map<String, Double> numbers = new HashMap<>();
        if (Files.exists(file)) {
            try {
                addNumbers("", new ObjectMapper().readTree(file.toFile()), numbers);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
        return numbers;
    }

    private static void addNumbers(String path, JsonNode node, Map<String, Double> numbers) {
        if (node.isNumber()) {
            numbers.put(path.substring(1), node.asDouble());
        }
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            addNumbers(path + "." + i, node.path(i), numbers);
        }
        node.properties().forEach(field -> addNumbers(path + "." + field.getKey(), field.getValue(), numbers));
    }
}
