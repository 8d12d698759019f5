package io.belfry.settings;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Prints the JVM's heap option for the key {@code Memory}. The start scripts call it in a JVM of its own, because a JVM
 * needs its heap size before it can read the configuration. All other errors of the configuration are left to the
 * program that is started. Pure except for reading the file.
 */
public final class HeapOption {
    private HeapOption() {}

    /**
     * Prints the option; {@code arguments} are the prefix of the program's environment variables, then the program's
     * own arguments.
     */
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
                default -> {} // Options of the program itself.
            }
        }
        KeySet keys = new KeySet(List.of(Memory.KEY), prefix, Set.of(), "the file");
        long bytes = Settings.read(keys, file, environment, sets).sizeBytes(Memory.KEY);
        return "-Xmx" + bytes / SizeUnit.KB.bytes() + "k";
    }

    /** The key {@code Memory}, which every load generator has. */
    private enum Memory implements Key {
        KEY;

        @Override
        public KeyDefinition definition() {
            ValueType<Long> type = ValueType.size(SizeUnit.MB, 2 * SizeUnit.MB.bytes(), Long.MAX_VALUE);
            return KeyDefinition.of("Memory", type, "512 MB", "Heap size of the JVM.");
        }
    }
}
