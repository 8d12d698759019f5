package io.belfry.cli;

import io.belfry.client.SubscribeException;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.OptionSpec;

/** The program behind {@code bin/belfry sub}, {@code pub}, {@code request}, {@code history} and {@code top}. Owner: the main thread. */
@Command(
        name = "belfry",
        description = "Subscribes, publishes, sends requests, and shows the history and the figures of nodes.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {SubCommand.class, PubCommand.class, RequestCommand.class, HistoryCommand.class, TopCommand.class
        })
public final class ClientMain {
    static final String EXIT_CODES = "Exit codes: 0 success, 1 the server refused or did not answer, 2 invalid option";

    private ClientMain() {}

    /** Runs the command and ends the process with its exit code. */
    public static void main(String... arguments) {
        CommandLine line = new CommandLine(new ClientMain());
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        OptionSpec help = OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("prints this help")
                .build();
        line.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().addOption(help));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, failed, parsed) -> report(failure, failed));
        System.exit(line.execute(arguments));
    }

    /** Prints one line for a failure that the user can correct; an unexpected one keeps its stack trace. */
    private static int report(Exception failure, CommandLine line) throws Exception {
        boolean usage = failure instanceof IllegalArgumentException || failure instanceof IllegalStateException;
        if (!usage && !(failure instanceof SubscribeException) && !(failure instanceof IOException)) {
            throw failure;
        }
        line.getErr().println("belfry: " + failure.getMessage());
        return usage ? ExitCode.USAGE : ExitCode.SOFTWARE;
    }
}
