package io.belfry.clients;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.integration.TestMachine;
import io.belfry.testsupport.RequiredPrograms;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A line of drivers.json: how to start the driver of one client. Immutable.
 *
 * @param client name of the client, as in the matrix
 * @param folder working directory, relative to the project
 * @param command program and arguments; {@code java} runs a class of this module
 * @param built file of the built client, relative to the project; empty for a client that needs no build
 * @param build command that builds the client
 */
record DriverCommand(String client, String folder, List<String> command, String built, String build) {
    /** The table in the project; {@code -Dbelfry.clients.drivers=FILE} names another one, for clients outside. */
    private static final String TABLE = "tests/clients/drivers.json";

    private static final List<String> SMALL_JVM = List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

    static List<DriverCommand> all() {
        try {
            List<DriverCommand> all = new ArrayList<>();
            Path table = TestMachine.root().resolve(System.getProperty("belfry.clients.drivers", TABLE));
            for (JsonNode line : new ObjectMapper().readTree(table.toFile())) {
                List<String> command = new ArrayList<>();
                line.path("command").forEach(word -> command.add(word.asText()));
                all.add(new DriverCommand(
                        line.path("client").asText(),
                        line.path("folder").asText("."),
                        List.copyOf(command),
                        line.path("built").asText(""),
                        line.path("build").asText("")));
            }
            return all;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static DriverCommand of(String client) {
        return all().stream()
                .filter(each -> each.client().equals(client))
                .findFirst()
                .orElseThrow();
    }

    /** Returns what is missing to start the driver and how to get it, or nothing if the driver can start. */
    Optional<String> missing() {
        String program = command.getFirst();
        if (!program.equals("java") && RequiredPrograms.find(program).isEmpty()) {
            return Optional.of(program + " is not on PATH; to install it: apt-get install " + program);
        }
        return Files.exists(TestMachine.root().resolve(built))
                ? Optional.empty()
                : Optional.of(client + " is not built; to build it: " + build);
    }

    ProcessBuilder process(List<String> flags) {
        List<String> all = new ArrayList<>();
        if (command.get(0).equals("java")) {
            all.addAll(TestMachine.java());
            all.addAll(1, SMALL_JVM);
            all.addAll(command.subList(1, command.size()));
        } else {
            all.addAll(command);
        }
        all.addAll(flags);
        return new ProcessBuilder(all)
                .directory(TestMachine.root().resolve(folder).toFile());
    }
}
