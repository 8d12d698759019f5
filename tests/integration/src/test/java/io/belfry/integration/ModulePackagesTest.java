package io.belfry.integration;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks which packages the modules beside the server import: exactly those in the table of docs/architecture.md. Constants of
 * the compiler do not count. ArchitectureTest checks the server's packages.
 */
@Tag("complete")
final class ModulePackagesTest {
    private static final String ROOT = "io.belfry.";
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z.]+)` \\| ([a-z., ]+) \\|$");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.belfry");

    @Test
    void eachPackageImportsWhatTheDocumentListsAndNothingElse() throws IOException {
        assertThat(imports()).isEqualTo(documented());
    }

    @Test
    void packagesOfAllModulesHaveNoCycles() {
        slices().matching("io.belfry.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    private static Map<String, Set<String>> imports() {
        Map<String, Set<String>> imports = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            String own = nameOf(type);
            if (own.equals("server") || own.startsWith("server.") || own.equals("integration")) {
                continue;
            }
            Set<String> others = imports.computeIfAbsent(own, p -> new TreeSet<>());
            dependenciesOf(type)
                    .map(JavaClass::getBaseComponentType)
                    .filter(target -> target.getPackageName().startsWith(ROOT))
                    .map(ModulePackagesTest::nameOf)
                    .filter(name -> !name.equals(own))
                    .forEach(others::add);
        }
        return imports;
    }

    /** Returns the classes that a class depends on, those of caught exceptions included. */
    private static Stream<JavaClass> dependenciesOf(JavaClass type) {
        Stream<JavaClass> caught = type.getCodeUnits().stream()
                .flatMap(unit -> unit.getTryCatchBlocks().stream())
                .flatMap(block -> block.getCaughtThrowables().stream());
        return Stream.concat(type.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass), caught);
    }

    private static String nameOf(JavaClass type) {
        return type.getPackageName().substring(ROOT.length());
    }

    private static Map<String, Set<String>> documented() throws IOException {
        String document = Files.readString(TestMachine.root().resolve("docs/architecture.md"));
        int begin = document.indexOf("## Packages of the other modules");
        Map<String, Set<String>> documented = new TreeMap<>();
        ROW.matcher(document.substring(begin, document.indexOf("\n## ", begin)))
                .results()
                .forEach(row -> documented.put(
                        row.group(1),
                        row.group(2).equals("none")
                                ? Set.of()
                                : new TreeSet<>(Set.of(row.group(2).split(", ")))));
        return documented;
    }
}
