package io.belfry.server.command;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IVersionProvider;

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
            "  request  publishes a request and prints its reply",
            "  history  prints the stored messages of a subject",
            "  top      shows the figures of nodes and their slowest sessions",
            "  cluster  runs several nodes on this machine",
            "  attack   attacks a server with the given configuration",
            "  plan     estimates how many nodes a number of clients needs",
            "",
            "Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 not running"
        })
final class BelfryCommand {
    private BelfryCommand() {}

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
                .addSubcommand(new WarmCommand())
                .addSubcommand(new JvmOptionsCommand())
                .addSubcommand(new HelpCommand());
        line.setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        line.getSubcommands().values().stream()
                .filter(command -> !command.getCommandSpec().usageMessage().hidden())
                .forEach(command -> command.getCommandSpec().mixinStandardHelpOptions(true));
        line.setExecutionExceptionHandler(
                (failure, command, parsed) -> FailedCommand.report(failure, command.getErr()));
        return line;
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
