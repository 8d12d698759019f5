package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.testsupport.TestScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests the help of every program in bin/ and of all its commands, by the scripts. */
@Tag("slow")
final class CommandHelpTest {
    /** Commands that start a program of their own and are therefore not in the list of commands. */
    private static final List<List<String>> PROGRAMS = List.of(
            List.of("belfry"),
            List.of("belfry", "demo"),
            List.of("belfry", "attack"),
            List.of("belfry", "cluster"),
            List.of("belfry", "plan"),
            List.of("belfry", "sub"),
            List.of("belfry", "pub"),
            List.of("belfry", "history"),
            List.of("belfry", "top"),
            List.of("bench"),
            List.of("benchpub"),
            List.of("benchsub"),
            List.of("benchsub", "report"));

    @Test
    void everyCommandOfEveryProgramHasHelp() {
        PROGRAMS.subList(0, TestScope.length(PROGRAMS.size(), 2)).forEach(CommandHelpTest::walk);
    }

    private static void walk(List<String> command) {
        List<String> subcommands = subcommands(help(command));
        for (String next :
                subcommands.subList(0, TestScope.length(subcommands.size(), Math.min(1, subcommands.size())))) {
            List<String> below = new ArrayList<>(command);
            below.add(next);
            walk(below);
        }
    }

    private static String help(List<String> command) {
        List<String> line = new ArrayList<>(command);
        line.set(
                0, TestMachine.root().resolve("bin").resolve(command.getFirst()).toString());
        line.add("--help");
        Map<String, String> environment = new HashMap<>();
        environment.put("BELFRY_JAVA_HOME", System.getProperty("java.home"));
        try (Tool tool = Tool.start(TestMachine.target(), environment, line)) {
            Tool.Result result = tool.await();
            assertThat(result.exitCode()).as(command + ": " + result.errors()).isZero();
            assertThat(result.output()).as(command.toString()).containsIgnoringCase("usage");
            return result.output();
        }
    }

    /** Returns the names under the heading Commands, as picocli prints them. */
    private static List<String> subcommands(String help) {
        return help.lines()
                .dropWhile(line -> !line.equals("Commands:"))
                .skip(1)
                .takeWhile(line -> line.startsWith("  "))
                .filter(line -> line.matches(" {2}\\S.*"))
                .map(line -> line.strip().split("[ ,]", 2)[0])
                .toList();
    }
}
