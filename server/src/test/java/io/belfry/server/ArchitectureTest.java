package io.belfry.server;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Which package may know which, and what each must not do; the table of docs/architecture.md as a check. */
class ArchitectureTest {
    private static final String ROOT = "io.belfry.server";

    private static final Set<String> OTHER_MODULES = Set.of("protocol", "settings", "spi");

    /** A package of the server, what it may import of ours, and why no more. */
    private record Row(String name, List<String> mayImport, String because) {
        Row(String name, String mayImport, String because) {
            this(name, mayImport.isEmpty() ? List.of() : List.of(mayImport.split(" ")), because);
        }

        String[] allowed() {
            return Stream.concat(Stream.of(name), mayImport.stream())
                    .map(each -> OTHER_MODULES.contains(each) ? "io.belfry." + each + ".." : ROOT + "." + each + "..")
                    .toArray(String[]::new);
        }
    }

    private static final List<Row> TABLE = List.of(
            new Row("config", "settings protocol", "what the server is told does not depend on what it does with it"),
            new Row("log", "config", "logging is set up before anything else is there"),
            new Row("counter", "protocol", "everything counts, so counting knows only the codes it counts by"),
            new Row("codec", "protocol", "bytes to frames and requests, for any use"),
            new Row("subject", "protocol counter", "a table of names serves homes, edges and patterns alike"),
            new Row("history", "protocol counter config subject", "who reads the past is none of its business"),
            new Row("entitlement", "protocol config spi", "who may do what is decided without looking at sessions"),
            new Row("broker", "history subject protocol counter", "the seam to a cluster has no sessions and no lanes"),
            new Row(
                    "session",
                    "broker subject entitlement protocol counter config",
                    "a session knows neither sockets nor loops"),
            new Row(
                    "workgroup",
                    "session subject broker history entitlement protocol counter config",
                    "lanes are turned by any loop, a test's too"),
            new Row("tls", "config", "certificates and engines know nobody who uses them"),
            new Row(
                    "transport",
                    "workgroup session entitlement tls codec protocol counter config",
                    "what a socket says goes to its lane, never past it to subjects or history"),
            new Row("disk", "history subject config", "files and threads serve a log and know nobody who reads it"),
            new Row(
                    "cluster",
                    "broker history subject protocol counter config",
                    "what several nodes have in common knows neither sessions nor lanes"),
            new Row("monitor", "counter config protocol", "it reads counters and never a live session"),
            new Row("control", "settings config", "start, stop and status work whatever the server is made of"),
            new Row("doctor", "config", "it looks at the host, not at a running server"));

    /** These put the server together or start it, and nobody imports them. */
    private static final Set<String> ABOVE_ALL = Set.of("", "command");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    private static String packageOf(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }

    @Test
    void everyPackageHasItsRow() {
        Set<String> packages = new TreeSet<>();
        CLASSES.forEach(type -> packages.add(packageOf(type)));
        packages.removeAll(ABOVE_ALL);
        assertThat(packages)
                .containsExactlyInAnyOrderElementsOf(
                        TABLE.stream().map(Row::name).toList());
    }

    @Test
    void aPackageImportsWhatItsRowAllowsAndNoMore() {
        for (Row row : TABLE) {
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + "." + row.name() + "..")
                    .should()
                    .dependOnClassesThat(resideInAPackage("io.belfry..")
                            .and(DescribedPredicate.not(resideInAnyPackage(row.allowed()))))
                    .because(row.because())
                    .check(CLASSES);
        }
    }

    @Test
    void packagesAreAcyclic() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onlyTheTransportKnowsChannels() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".transport..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty.channel..", "io.netty.bootstrap..")
                .because("everything below the transport runs by hand in tests, without a socket")
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".transport..", ROOT + ".tls..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty.handler..")
                .because("engines that encrypt are made in one place and used in another")
                .check(CLASSES);
    }

    @Test
    void onlyTheClusterKnowsKafka() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".cluster..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .because("a single node loads none of it")
                .check(CLASSES);
    }

    private static final DescribedPredicate<JavaClass> OWNED_STATE = describe(
            "state that one loop owns",
            type -> Set.of("session", "subject", "history").contains(packageOf(type))
                    || type.getName().startsWith(ROOT + ".workgroup.FanOut"));

    @Test
    void whatOneLoopOwnsIsNotSharedByTheWay() {
        String because = "state crosses loops in Inbox, Counters and Workgroups only";
        noClasses()
                .that(OWNED_STATE)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.util.concurrent..")
                .because(because)
                .check(CLASSES);
        noFields()
                .that()
                .areDeclaredInClassesThat(OWNED_STATE)
                .should()
                .haveModifier(JavaModifier.VOLATILE)
                .because(because)
                .check(CLASSES);
        noMethods()
                .that()
                .areDeclaredInClassesThat(OWNED_STATE)
                .should()
                .haveModifier(JavaModifier.SYNCHRONIZED)
                .because(because)
                .check(CLASSES);
    }

    /** A synchronized block leaves no mark in the members of a class, so the text is asked. */
    @Test
    void whatOneLoopOwnsHasNoSynchronizedBlocks() throws IOException {
        Path sources = Path.of("src/main/java/io/belfry/server");
        for (String folder : List.of("session", "subject", "history", "workgroup")) {
            try (Stream<Path> files = Files.walk(sources.resolve(folder))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    assertThat(Files.readString(file)).as(file.toString()).doesNotContain("synchronized (");
                }
            }
        }
    }

    private static DescribedPredicate<JavaAccess<?>> of(Class<?> owner, String member) {
        return describe(
                owner.getSimpleName() + "." + member,
                access -> access.getTargetOwner().isEquivalentTo(owner)
                        && access.getTarget().getName().equals(member));
    }

    @Test
    void nobodySleeps() {
        noClasses()
                .that(describe("do not serve the command line", type -> !ABOVE_ALL.contains(packageOf(type))))
                .should()
                .accessTargetWhere(of(Thread.class, "sleep"))
                .because("a loop has clockwork, and a thread that waits is woken")
                .check(CLASSES);
    }

    @Test
    void onlyCommandsWriteToTheConsole() {
        noClasses()
                .that(describe("do not serve the command line", type -> !ABOVE_ALL.contains(packageOf(type))))
                .should()
                .accessTargetWhere(of(System.class, "out").or(of(System.class, "err")))
                .because("a server writes to its log")
                .check(CLASSES);
    }

    /** The lanes' own clock, and the one answer that is written before a connection has a lane. */
    private static final Set<String> MAY_ASK_THE_TIME = Set.of("workgroup.Clock", "transport.Listener");

    @Test
    void theTimeIsReadFromTheClock() {
        DescribedPredicate<JavaAccess<?>> wallClock = of(System.class, "currentTimeMillis")
                .or(of(java.time.Instant.class, "now"))
                .or(of(java.time.LocalDateTime.class, "now"))
                .or(of(java.time.ZonedDateTime.class, "now"));
        noClasses()
                .that(describe("have no reason to", type -> !mayAskTheTime(type)))
                .should()
                .accessTargetWhere(wallClock)
                .because("a lane's time stands still within a turn and passes by hand in tests")
                .check(CLASSES);
        noClasses()
                .that(describe(
                        "belong to a lane or below",
                        type -> !mayAskTheTime(type)
                                && Set.of("session", "subject", "history", "broker", "workgroup", "entitlement")
                                        .contains(packageOf(type))))
                .should()
                .accessTargetWhere(of(System.class, "nanoTime"))
                .because("a lane reads time once per turn")
                .check(CLASSES);
    }

    private static boolean mayAskTheTime(JavaClass type) {
        String name = type.getName().substring(ROOT.length() + 1);
        int nested = name.indexOf('$');
        return MAY_ASK_THE_TIME.contains(nested < 0 ? name : name.substring(0, nested))
                || ABOVE_ALL.contains(packageOf(type));
    }

    @Test
    void nullsAreMarkedEverywhere() {
        Set<String> unmarked = new TreeSet<>();
        for (JavaClass type : CLASSES) {
            JavaPackage home = type.getPackage();
            if (!home.isAnnotatedWith(NullMarked.class)) {
                unmarked.add(home.getName());
            }
        }
        assertThat(unmarked).isEmpty();
    }
}
