package io.belfry.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks the path of a published message in docs/architecture.md: each method exists, and calls the next one of its table. */
@Tag("complete")
class MessagePathTest {
    private static final Path DOC = Path.of("..", "docs", "architecture.md");
    private static final String TITLE = "\n## The path of a published message\n";
    private static final Pattern STEP = Pattern.compile("(?m)^\\| (\\d+) \\| `([\\w.]+)\\.(\\w+)` \\|");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.belfry.server", "io.belfry.protocol");

    private record Step(int number, JavaClass type, String method) {
        static Step of(MatchResult row) {
            String name = "." + row.group(2).replace('.', '$');
            List<JavaClass> named = CLASSES.stream()
                    .filter(type -> type.getName().endsWith(name))
                    .toList();
            assertThat(named).as(row.group(2)).hasSize(1);
            return new Step(Integer.parseInt(row.group(1)), named.getFirst(), row.group(3));
        }

        Stream<JavaMethod> methods() {
            return type.getAllMethods().stream().filter(each -> each.getName().equals(method));
        }

        /** Returns whether the method calls that of the next step, or one of an interface that its class implements. */
        boolean calls(Step next) {
            return methods()
                    .flatMap(each -> each.getMethodCallsFromSelf().stream())
                    .anyMatch(call -> call.getName().equals(next.method)
                            && next.type.isAssignableTo(call.getTargetOwner().getName()));
        }
    }

    private static List<Step> steps() throws IOException {
        String text = Files.readString(DOC);
        int start = text.indexOf(TITLE) + TITLE.length();
        return STEP.matcher(text.substring(start, text.indexOf("\n## ", start)))
                .results()
                .map(Step::of)
                .toList();
    }

    /** Counts from the received bytes to the encoded message, in classes that declare the methods. */
    @Test
    void thePathHasTwentyMethodsInTwelveClasses() throws IOException {
        List<Step> path = steps().stream()
                .dropWhile(step -> !step.method().equals("onRead"))
                .takeWhile(step ->
                        step.number() != 1 && !step.type().getSimpleName().endsWith("Format"))
                .toList();
        assertThat(path.getLast().method()).isEqualTo("encode");
        assertThat(path).hasSize(20);
        assertThat(path.stream().map(Step::type).distinct()).hasSize(12);
    }

    @Test
    void eachMethodOfThePathCallsTheNextOne() throws IOException {
        List<Step> steps = steps();
        assertThat(steps).filteredOn(step -> step.number() == 1).hasSize(3);
        List<String> broken = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            Step next = i + 1 < steps.size() ? steps.get(i + 1) : null;
            if (step.methods().findAny().isEmpty()) {
                broken.add(step + " does not exist");
            } else if (next != null && next.number() > 1 && !step.calls(next)) {
                broken.add(step + " does not call " + next);
            }
        }
        assertThat(broken).isEmpty();
    }
}
