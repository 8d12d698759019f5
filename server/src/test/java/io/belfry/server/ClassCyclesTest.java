package io.belfry.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks the size of class cycles: sets of classes that all depend on each other, directly or by way of the others. A class
 * counts with its nested classes. Classes of a large cycle can be understood and tested only together.
 */
@Tag("complete")
class ClassCyclesTest {
    private static final String ROOT = "io.belfry.server";

    /** Maximum size of a cycle: a class, its counterpart, and a third one between them. */
    private static final int LARGEST = 3;

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void noClassCycleIsLargerThanAllowed() {
        List<Set<String>> tooLarge = cycles(dependencies()).stream()
                .filter(cycle -> cycle.size() > LARGEST)
                .toList();
        assertThat(tooLarge)
                .as("sets of classes that all depend on each other; pass a narrow interface instead of a whole class")
                .isEmpty();
    }

    @Test
    void cyclesAreFoundInAGraph() {
        Map<String, Set<String>> dependencies = Map.of(
                "a",
                Set.of("b"),
                "b",
                Set.of("c", "e"),
                "c",
                Set.of("a"),
                "d",
                Set.of("a", "e"),
                "e",
                Set.of("f"),
                "f",
                Set.of("e"),
                "g",
                Set.of("d"));
        assertThat(cycles(dependencies))
                .containsExactlyInAnyOrder(Set.of("a", "b", "c"), Set.of("e", "f"), Set.of("d"), Set.of("g"));
    }

    private static String topLevel(JavaClass type) {
        String name = type.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static Map<String, Set<String>> dependencies() {
        Map<String, Set<String>> of = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            Set<String> targets = of.computeIfAbsent(topLevel(type), t -> new TreeSet<>());
            ClassDependencies.of(type)
                    .map(ClassCyclesTest::topLevel)
                    .filter(target -> target.startsWith(ROOT + "."))
                    .forEach(targets::add);
        }
        return of;
    }

    /** Returns the strongly connected components, by Tarjan's algorithm; a class without a cycle is one of its own. */
    static List<Set<String>> cycles(Map<String, Set<String>> dependencies) {
        return new Search(dependencies).run();
    }

    private static final class Search {
        private final Map<String, Set<String>> dependencies;
        private final List<Set<String>> found = new ArrayList<>();
        private final Map<String, Integer> numbers = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();

        Search(Map<String, Set<String>> dependencies) {
            this.dependencies = dependencies;
        }

        List<Set<String>> run() {
            dependencies.keySet().forEach(this::lowestReached);
            return found;
        }

        /** Returns the lowest number of an open class that this one reaches; classes are numbered as they are visited. */
        private int lowestReached(String type) {
            Integer known = numbers.get(type);
            if (known != null) {
                return open.contains(type) ? known : Integer.MAX_VALUE;
            }
            int own = numbers.size();
            numbers.put(type, own);
            open.push(type);
            int lowest = own;
            for (String next : dependencies.getOrDefault(type, Set.of())) {
                lowest = Math.min(lowest, lowestReached(next));
            }
            if (lowest == own) {
                close(type);
            }
            return lowest;
        }

        private void close(String first) {
            Set<String> cycle = new TreeSet<>();
            while (!cycle.contains(first)) {
                cycle.add(open.pop());
            }
            found.add(cycle);
        }
    }
}
