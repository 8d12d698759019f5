package io.belfry.benchkit.demo;

import java.util.Iterator;
import java.util.List;

/**
 * The arguments of the demo. Immutable.
 *
 * @param seconds 0 = until Ctrl-C
 */
record DemoOptions(int seconds, int clients, boolean help) {
    static final String USAGE = "usage: belfry demo [--seconds N] [--clients N]";
    private static final int CLIENTS = 1000;
    private static final int CLIENTS_MAX = 100_000;
    private static final int SECONDS_MAX = 1_000_000;

    static DemoOptions parse(String... arguments) {
        int seconds = 0;
        int clients = CLIENTS;
        boolean help = false;
        Iterator<String> rest = List.of(arguments).iterator();
        while (rest.hasNext()) {
            String argument = rest.next();
            switch (argument) {
                case "--seconds" -> seconds = number(argument, rest, SECONDS_MAX);
                case "--clients" -> clients = number(argument, rest, CLIENTS_MAX);
                case "-h", "--help" -> help = true;
                default -> throw new IllegalArgumentException(argument + " is not a known argument; " + USAGE);
            }
        }
        return new DemoOptions(seconds, clients, help);
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
}
