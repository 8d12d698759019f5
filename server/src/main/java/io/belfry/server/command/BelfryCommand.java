package io.belfry.server.command;

import io.belfry.settings.SettingsException;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParseResult;

/** The commands of bin/belfry. Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 not running. */
@Command(
        name = "belfry",
        description = "A publish/subscribe server for the web.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = BelfryCommand.Version.class,
        footer = {
            "",
            "These commands are programs of their own and print their options with --help:",
            "  demo     shows a server with subscribers and a publisher",
            "  sub      prints the messages of subjects and patterns",
            "  pub      publishes messages",
            "  history  prints the stored messages of a subject",
            "  top      shows the figures of nodes and their slowest sessions",
            "  cluster  runs several nodes on this machine",
            "  attack   attacks a server with the given configuration",
            "  plan     estimates how many nodes a number of clients needs",
            "",
            "Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 not running"
        })
public final class BelfryCommand {
    private BelfryCommand() {}

    /** Runs one command line and returns its exit code. */
    public static int execute(ServerLauncher launcher, String... arguments) {
        return line(launcher).execute(arguments);
    }

    static CommandLine line(ServerLauncher launcher) {
        CommandLine line = new CommandLine(new BelfryCommand())
                .addSubcommand(new RunCommand(launcher))
                .addSubcommand(new StartCommand())
                .addSubcommand(new StopCommand())
                .addSubcommand(new RestartCommand())
                .addSubcommand(new StatusCommand())
                .addSubcommand(new ReloadCommand())
                .addSubcommand(new DrainCommand())
                .addSubcommand(new CheckCommand())
                .addSubcommand(new DoctorCommand())
                .addSubcommand(new JvmOptionsCommand())
                .addSubcommand(new HelpCommand());
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.getSubcommands().values().stream()
                .filter(command -> !command.getCommandSpec().usageMessage().hidden())
                .forEach(command -> command.getCommandSpec().mixinStandardHelpOptions(true));
        line.setExecutionExceptionHandler(BelfryCommand::fail);
        return line;
    }

    /** Prints one sentence for a failure that the user can fix. A defect of the program keeps its stack trace. */
    private static int fail(Exception failure, CommandLine command, ParseResult parsed) throws Exception {
        return switch (failure) {
            case SettingsException wrong -> {
                wrong.problems().forEach(problem -> command.getErr().println(problem));
                yield Exit.USAGE;
            }
            case IllegalArgumentException wrong -> {
                command.getErr().println("belfry: " + wrong.getMessage());
                yield Exit.USAGE;
            }
            case IOException impossible -> {
                command.getErr().println("belfry: " + explain(impossible));
                yield Exit.FAILED;
            }
            default -> throw failure;
        };
    }

    /** Returns the exception's message, after its class name if the message is absent or only a file name. */
    static String explain(Throwable failure) {
        String message = failure.getMessage();
        return message != null && message.indexOf(' ') > 0
                ? message
                : failure.getClass().getSimpleName() + ": " + message;
    }

    /** Returns the version from the jar's manifest. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = BelfryCommand.class.getPackage().getImplementationVersion();
            return new String[] {
                "belfry " + (version == null ? "(not from a jar)" : version), "Java " + Runtime.version()
            };
        }
    }
}
