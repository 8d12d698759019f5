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

/** Checks which packages may depend on which, and what each must not do; the table is that of docs/architecture.md. */
class ArchitectureTest {
    private static final String ROOT = "io.belfry.server";

    private static final Set<String> OTHER_MODULES = Set.of("protocol", "settings", "spi");

    /** A package of the server, the packages of this project that it may import, and the reason. */
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
            new Row("config", "settings protocol", "settings do not depend on the code that uses them"),
            new Row("log", "config", "logging is set up before everything else"),
            new Row("counter", "protocol", "all packages count, so the counters depend only on codes"),
            new Row("trace", "", "spans are recorded by all packages and know none of them"),
            new Row("codec", "protocol", "decoders of frames and requests are independent of their use"),
            new Row("subject", "protocol counter", "tables of subjects serve homes, edges and patterns"),
            new Row("history", "protocol counter config subject", "the history does not depend on its readers"),
            new Row("entitlement", "protocol config spi", "rights are decided without access to sessions"),
            new Row(
                    "broker",
                    "history subject protocol counter trace",
                    "the interface to a cluster has no sessions and no lanes"),
            new Row(
                    "session",
                    "broker subject entitlement protocol counter config",
                    "a session uses neither sockets nor event loops"),
            new Row(
                    "workgroup",
                    "session subject broker history entitlement protocol counter config trace",
                    "any loop can run a lane, also that of a test"),
            new Row("tls", "config", "certificates and engines do not depend on their users"),
            new Row(
                    "transport",
                    "workgroup session entitlement tls codec protocol counter config trace",
                    "input passes through the lane, never directly to subjects or history"),
            new Row("disk", "history subject config", "files and threads store a log and do not depend on its readers"),
            new Row(
                    "cluster",
                    "broker history subject protocol counter config trace",
                    "the state shared by nodes uses neither sessions nor lanes"),
            new Row("alert", "counter protocol", "alerts are conditions on figures, wherever these are from"),
            new Row(
                    "monitor",
                    "alert counter config protocol trace",
                    "monitoring reads counters and never a live session"),
            new Row(
                    "console",
                    "monitor alert workgroup session doctor counter config settings protocol",
                    "the console shows all parts, and no part depends on it"),
            new Row("control", "settings config", "start, stop and status are independent of the server's parts"),
            new Row("doctor", "config", "the doctor checks the host, not a running server"));

    /** Packages that assemble or start the server; no package imports them. */
    private static final Set<String> ABOVE_ALL = Set.of("", "command");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    private static String packageOf(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? "" : name.substring(ROOT.length() + 1);
    }

    @Test
    void everyPackageHasARow() {
        Set<String> packages = new TreeSet<>();
        CLASSES.forEach(type -> packages.add(packageOf(type)));
        packages.removeAll(ABOVE_ALL);
        assertThat(packages)
                .containsExactlyInAnyOrderElementsOf(
                        TABLE.stream().map(Row::name).toList());
    }

    @Test
    void aPackageImportsOnlyTheAllowedPackages() {
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
    void onlyTheTransportUsesChannels() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".transport..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty.channel..", "io.netty.bootstrap..")
                .because("tests run everything below the transport without sockets")
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".transport..", ROOT + ".tls..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.netty.handler..")
                .because("TLS engines are created in one package and used in another")
                .check(CLASSES);
    }

    @Test
    void onlyTheClusterUsesKafka() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".cluster..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .because("a single node loads no Kafka classes")
                .check(CLASSES);
    }

    private static final DescribedPredicate<JavaClass> OWNED_STATE = describe(
            "state that one loop owns",
            type -> Set.of("session", "subject", "history").contains(packageOf(type))
                    || type.getName().startsWith(ROOT + ".workgroup.FanOut"));

    @Test
    void stateOwnedByALoopUsesNoConcurrencyTools() {
        String because = "only Inbox, Counters and Workgroups pass state between loops";
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

    /** A synchronized block is not visible in the class files' members, so the sources are searched. */
    @Test
    void stateOwnedByALoopHasNoSynchronizedBlocks() throws IOException {
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
    void noThreadSleeps() {
        noClasses()
                .that(describe("do not serve the command line", type -> !ABOVE_ALL.contains(packageOf(type))))
                .should()
                .accessTargetWhere(of(Thread.class, "sleep"))
                .because("loops have timers, and a waiting thread is woken by a signal")
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

    /**
     * Classes that may read the wall clock: the lanes' clock, and the listener for answers before a connection has a
     * lane.
     */
    private static final Set<String> MAY_READ_THE_TIME = Set.of("workgroup.Clock", "transport.Listener");

    @Test
    void timeIsReadFromTheClock() {
        DescribedPredicate<JavaAccess<?>> wallClock = of(System.class, "currentTimeMillis")
                .or(of(java.time.Instant.class, "now"))
                .or(of(java.time.LocalDateTime.class, "now"))
                .or(of(java.time.ZonedDateTime.class, "now"));
        noClasses()
                .that(describe("are not listed as readers of the wall clock", type -> !mayReadTheTime(type)))
                .should()
                .accessTargetWhere(wallClock)
                .because("a lane's time is constant within a turn and set by tests")
                .check(CLASSES);
        noClasses()
                .that(describe(
                        "belong to a lane or below",
                        type -> !mayReadTheTime(type)
                                && Set.of("session", "subject", "history", "broker", "workgroup", "entitlement")
                                        .contains(packageOf(type))))
                .should()
                .accessTargetWhere(of(System.class, "nanoTime"))
                .because("a lane reads the time once per turn")
                .check(CLASSES);
    }

    private static boolean mayReadTheTime(JavaClass type) {
        String name = type.getName().substring(ROOT.length() + 1);
        int nested = name.indexOf('$');
        return MAY_READ_THE_TIME.contains(nested < 0 ? name : name.substring(0, nested))
                || ABOVE_ALL.contains(packageOf(type));
    }

    @Test
    void everyPackageIsNullMarked() {
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
