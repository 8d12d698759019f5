package io.belfry.benchkit.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/** The arguments of a load generator: {@code [-c FILE] [--set KEY=VALUE]... [--help]}. Immutable. */
record CommandLine(Optional<Path> file, List<String> sets, boolean help) {
    /** Parses the arguments; throws {@link IllegalArgumentException} with one line for any other argument. */
    static CommandLine parse(String... arguments) {
        Optional<Path> file = Optional.empty();
        List<String> sets = new ArrayList<>();
        boolean help = false;
        Iterator<String> rest = List.of(arguments).iterator();
        while (rest.hasNext()) {
            String argument = rest.next();
            switch (argument) {
                case "-c", "--config" -> file = Optional.of(Path.of(value(argument, rest)));
                case "--set" -> sets.add(value(argument, rest));
                case "-h", "--help" -> help = true;
                default -> throw new IllegalArgumentException(argument + " is not a known argument; see --help");
            }
        }
        return new CommandLine(file, List.copyOf(sets), help);
    }

    private static String value(String argument, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException(argument + " needs a value");
        }
        return rest.next();
    }
}
