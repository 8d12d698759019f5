package io.belfry.settings;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Prints the JVM option that {@code Memory} comes to, for the scripts: a JVM has to know its heap before it can read the
 * configuration, so another one reads this one key first. What else is wrong is left to the program itself. Pure but for
 * the file.
 */
public final class HeapOption {
    private HeapOption() {}

    /** Called with the prefix of the program's environment variables and then the program's own arguments. */
    public static void main(String... arguments) {
        List<String> rest = List.of(arguments).subList(1, arguments.length);
        System.out.println(of(arguments[0], System.getenv(), rest));
    }

    static String of(String prefix, Map<String, String> environment, List<String> arguments) {
        Optional<Path> file = Optional.empty();
        List<String> sets = new ArrayList<>();
        for (int i = 0; i + 1 < arguments.size(); i++) {
            switch (arguments.get(i)) {
                case "-c", "--config" -> file = Optional.of(Path.of(arguments.get(++i)));
                case "--set" -> sets.add(arguments.get(++i));
                default -> {} // the program's business
            }
        }
        KeySet keys = new KeySet(List.of(Memory.KEY), prefix, Set.of(), "the file");
        long bytes = Settings.read(keys, file, environment, sets).sizeBytes(Memory.KEY);
        return "-Xmx" + bytes / SizeUnit.KB.bytes() + "k";
    }

    /** The one key, as every load generator has it. */
    private enum Memory implements Key {
        KEY;

        @Override
        public String keyName() {
            return "Memory";
        }

        @Override
        public ValueType<?> type() {
            return ValueType.size(SizeUnit.MB, 2 * SizeUnit.MB.bytes(), Long.MAX_VALUE);
        }

        @Override
        public Optional<String> defaultText() {
            return Optional.of("512 MB");
        }

        @Override
        public String sentence() {
            return "Heap of the JVM.";
        }
    }
}
