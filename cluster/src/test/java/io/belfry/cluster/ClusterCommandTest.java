package io.belfry.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Tests which command lines are accepted. */
class ClusterCommandTest {
    @Test
    void everyCommandExplainsItself() {
        assertExplains();
        ClusterCommand.line().getSubcommands().keySet().forEach(ClusterCommandTest::assertExplains);
    }

    private static void assertExplains(String... command) {
        StringWriter out = new StringWriter();
        CommandLine line = ClusterCommand.line();
        line.setOut(new PrintWriter(out, true));
        String[] arguments = java.util.Arrays.copyOf(command, command.length + 1);
        arguments[command.length] = "--help";

        assertThat(line.execute(arguments)).isZero();
        assertThat(out.toString()).contains("Usage: cluster");
    }
}
