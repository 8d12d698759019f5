package io.belfry.benchkit.demo;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * What the demo is asked to do. Immutable.
 *
 * @param seconds 0 = until Ctrl-C
 * @param home the folder with {@code bin/belfry}
 */
record DemoOptions(int seconds, int clients, Path home, boolean help) {
    static final String USAGE = "usage: belfry demo [--seconds N] [--clients N]";
    private static final int CLIENTS = 1000;
    private static final int CLIENTS_MAX = 100_000;
    private static final int SECONDS_MAX = 1_000_000;

    static DemoOptions parse(Path home, String... arguments) {
        DemoOptions options = new DemoOptions(0, CLIENTS, home, false);
        Iterator<String> rest = Arrays.asList(arguments).iterator();
        while (rest.hasNext()) {
            String argument = rest.next();
            options = switch (argument) {
                case "--seconds" -> options.withSeconds(number(argument, rest, SECONDS_MAX));
                case "--clients" -> options.withClients(number(argument, rest, CLIENTS_MAX));
                case "-h", "--help" -> new DemoOptions(options.seconds, options.clients, home, true);
                default -> throw new IllegalArgumentException(argument + " is not understood; " + USAGE);
            };
        }
        return options;
    }

    private static int number(String argument, Iterator<String> rest, int max) {
        try {
            int value = rest.hasNext() ? Integer.parseInt(rest.next()) : 0;
            if (value >= 1 && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(argument + " needs a whole number; " + USAGE, e);
        }
        throw new IllegalArgumentException(argument + " needs a number from 1 to " + max);
    }

    private DemoOptions withSeconds(int value) {
        return new DemoOptions(value, clients, home, help);
    }

    private DemoOptions withClients(int value) {
        return new DemoOptions(seconds, value, home, help);
    }

    /** The server on free ports, all in memory, nothing asked for: an embedded default. */
    List<String> serverCommand() {
        return List.of(
                home.resolve("bin/belfry").toString(),
                "run",
                // A name of its own: a server that runs already is none of the demo's business.
                "--name",
                "demo-" + ProcessHandle.current().pid(),
                "--set",
                "Listen=127.0.0.1:0",
                "--set",
                "Monitor=HTTP",
                "--set",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "--set",
                "MonitorHTTP.Authentication=false",
                "--set",
                "Entitlement=None",
                "--set",
                "BenchmarkMode=true");
    }
}
