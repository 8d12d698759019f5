package io.belfry.server.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A subcommand for one server of this machine and its configuration. Filled by the command line, then unchanged. */
abstract class ConfiguredCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    @Mixin
    private InstanceOptions instance = new InstanceOptions();

    final ConfigOptions options() {
        return options;
    }

    /** Returns the selected server. Throws if its name is invalid. */
    final Instance instance() {
        return instance.instance();
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
