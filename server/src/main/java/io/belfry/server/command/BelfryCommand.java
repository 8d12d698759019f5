package io.belfry.server.command;

import io.belfry.settings.SettingsException;
import java.io.IOException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParseResult;

/** What bin/belfry understands. Exit codes: 0 well, 1 failed, 2 wrong usage or configuration, 3 not running. */
@Command(
        name = "belfry",
        description = "A publish/subscribe server for the web.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = BelfryCommand.Version.class,
        footer = {"", "Exit codes: 0 well, 1 failed, 2 wrong usage or configuration, 3 not running"})
public final class BelfryCommand {
    private BelfryCommand() {}

    /** Runs one command line; its exit code. */
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

    /** What a person can mend is one sentence; only what is a fault of ours has a stack trace. */
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

    /** Some exceptions of the JDK say no more than a file's name, and some nothing. */
    static String explain(Throwable failure) {
        String message = failure.getMessage();
        return message != null && message.indexOf(' ') > 0
                ? message
                : failure.getClass().getSimpleName() + ": " + message;
    }

    /** The version the jar was built as. */
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
