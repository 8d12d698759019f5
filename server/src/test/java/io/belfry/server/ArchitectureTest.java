package io.belfry.server;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
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
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.subject.SubjectHomes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Checks which packages may depend on which, and what each must not do; the table is that of docs/architecture.md. */
class ArchitectureTest {
    private static final String ROOT = "io.belfry.server";

    /** A package of the server, the packages of this project that it imports, and the reason. */
    private record Row(String name, Set<String> imports, String because) {
        Row(String name, String imports, String because) {
            this(name, imports.isEmpty() ? Set.of() : new TreeSet<>(List.of(imports.split(" "))), because);
        }
    }

    private static final List<Row> TABLE = List.of(
            new Row("config", "settings protocol", "settings do not depend on the code that uses them"),
            new Row("log", "config", "logging is set up before everything else"),
            new Row("counter", "protocol", "all packages count, so the counters depend only on codes"),
            new Row("trace", "", "spans are recorded by all packages and know none of them"),
            new Row("codec", "protocol", "decoders of frames and requests are independent of their use"),
            new Row("subject", "", "tables of subjects serve homes, edges and patterns"),
            new Row("history", "subject protocol", "the history does not depend on its readers"),
            new Row("json", "", "writing JSON does not depend on its content"),
            new Row("callback", "", "requests to the application know nothing of their meaning"),
            new Row("event", "callback json config", "events are delivered without access to sessions"),
            new Row(
                    "entitlement",
                    "callback json config spi protocol",
                    "rights are decided without access to sessions"),
            new Row(
                    "broker",
                    "history subject counter trace protocol",
                    "the interface to a cluster has no sessions and no lanes"),
            new Row(
                    "session",
                    "subject entitlement counter config protocol",
                    "a session uses neither sockets nor event loops"),
            new Row("turn", "counter", "a turn does not depend on the work that is done in it"),
            new Row(
                    "handoff",
                    "broker turn subject counter config trace protocol",
                    "calls between lanes do not depend on their receivers"),
            new Row(
                    "presence",
                    "broker handoff turn session subject entitlement counter config protocol",
                    "members do not depend on the order of the messages that show them"),
            new Row(
                    "home",
                    "broker presence handoff turn history subject counter config protocol",
                    "a home knows lanes with subscribers, and no sessions"),
            new Row(
                    "delivery",
                    "turn session subject counter config protocol",
                    "delivery does not depend on how a session subscribed"),
            new Row(
                    "catchup",
                    "broker delivery handoff turn history session subject counter config" + " protocol",
                    "a session reads on by its places, whatever its commands were"),
            new Row(
                    "supervision",
                    "delivery turn session entitlement counter config protocol",
                    "sessions are supervised without their subscriptions"),
            new Row(
                    "edge",
                    "broker presence catchup supervision delivery handoff turn session subject"
                            + " entitlement counter config trace protocol",
                    "an edge calls homes only by handoffs"),
            new Row(
                    "workgroup",
                    "broker edge home presence catchup supervision delivery handoff turn history"
                            + " session subject entitlement event counter config trace protocol",
                    "any loop can run a lane, also that of a test"),
            new Row("tls", "config", "certificates and engines do not depend on their users"),
            new Row(
                    "transport",
                    "workgroup turn session entitlement tls codec counter config trace" + " protocol",
                    "input passes through the lane, never directly to subjects or history"),
            new Row("disk", "history subject config", "files and threads store a log and do not depend on its readers"),
            new Row(
                    "cluster",
                    "broker history subject event counter config trace protocol",
                    "the state shared by nodes uses neither sessions nor lanes"),
            new Row("alert", "counter protocol", "alerts are conditions on figures, wherever these are from"),
            new Row(
                    "monitor",
                    "alert json counter config trace protocol",
                    "monitoring reads counters and never a live session"),
            new Row(
                    "console",
                    "workgroup session monitor json alert doctor counter config settings protocol",
                    "the console shows all parts, and no part depends on it"),
            new Row(
                    "api",
                    "workgroup presence session monitor json entitlement counter config protocol",
                    "backends act on sessions and subjects only by tasks on their lanes"),
            new Row("control", "settings", "start, stop and status are independent of the server's parts"),
            new Row("training", "", "clients of the training use the server over sockets only"),
            new Row("doctor", "config", "the doctor checks the host, not a running server"),
            new Row(
                    "command",
                    "callback log doctor tls config control settings training",
                    "subcommands are independent of the server that one of them starts"),
            new Row(
                    "root",
                    "command api console disk transport cluster workgroup delivery turn"
                            + " monitor alert entitlement event tls counter config trace log protocol",
                    "the server is assembled in one place"));

    /** Packages that assemble or start the server. */
    private static final Set<String> ABOVE_ALL = Set.of("root", "command");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    private static String packageOf(JavaClass type) {
        String name = type.getPackageName();
        return name.equals(ROOT) ? "root" : name.substring(ROOT.length() + 1);
    }

    /** Returns the packages of this project that each package of the server imports. */
    private static Map<String, Set<String>> imports() {
        Map<String, Set<String>> imports = new TreeMap<>();
        for (JavaClass type : CLASSES) {
            Set<String> own = imports.computeIfAbsent(packageOf(type), p -> new TreeSet<>());
            ClassDependencies.of(type)
                    .filter(target -> target.getPackageName().startsWith("io.belfry."))
                    .map(ArchitectureTest::importName)
                    .filter(name -> !name.equals(packageOf(type)))
                    .forEach(own::add);
        }
        return imports;
    }

    private static String importName(JavaClass target) {
        String name = target.getPackageName();
        return name.equals(ROOT) || name.startsWith(ROOT + ".")
                ? packageOf(target)
                : name.substring("io.belfry.".length()).replaceFirst("\\..*", "");
    }

    @Test
    void aPackageImportsWhatItsRowListsAndNothingElse() {
        Map<String, Set<String>> found = imports();
        assertThat(found.keySet())
                .as("every package has a row")
                .containsExactlyInAnyOrderElementsOf(
                        TABLE.stream().map(Row::name).toList());
        for (Row row : TABLE) {
            assertThat(found.get(row.name()))
                    .as("the imports of " + row.name() + ": " + row.because())
                    .isEqualTo(row.imports());
        }
    }

    /** A row of the table in docs/architecture.md: package, contents, own packages it imports. */
    private static final Pattern DOCUMENTED = Pattern.compile("(?m)^\\| `?(\\w+)`? \\| .* \\| ([a-z, ]+) \\|$");

    @Test
    void theTableIsThatOfTheDocument() throws IOException {
        String document = Files.readString(Path.of("../docs/architecture.md"));
        int begin = document.indexOf("## Packages of `server/`");
        Map<String, Set<String>> documented = new TreeMap<>();
        DOCUMENTED
                .matcher(document.substring(begin, document.indexOf("\n## ", begin)))
                .results()
                .forEach(row -> documented.put(
                        row.group(1),
                        row.group(2).equals("none")
                                ? Set.of()
                                : Set.of(row.group(2).split(", "))));
        documented.remove("package");
        Map<String, Set<String>> table = new TreeMap<>();
        TABLE.forEach(row -> table.put(row.name(), row.imports()));
        assertThat(documented).isEqualTo(table);
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

    /**
     * {@code Rights} decides again on what a session has, after its token changed, and {@code FollowedSubjects} on what a
     * session continues.
     */
    @Test
    void onlyCommandsAskForPermissions() {
        noClasses()
                .that(describe(
                        "do not check commands or grant permissions",
                        type -> !Set.of(
                                                ROOT + ".session.Commands",
                                                ROOT + ".supervision.Rights",
                                                ROOT + ".edge.FollowedSubjects")
                                        .contains(type.getName())
                                && !packageOf(type).equals("entitlement")))
                .should()
                .accessTargetWhere(of(Principal.class, "mayPublish").or(of(Principal.class, "maySubscribe")))
                .because("all protocols have the same checks")
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

    /** Packages of which each object belongs to one loop. */
    private static final Set<String> OWNED_PACKAGES =
            Set.of("session", "subject", "history", "presence", "home", "delivery", "catchup", "edge");

    private static final DescribedPredicate<JavaClass> OWNED_STATE = describe(
            "state that one loop owns",
            type -> OWNED_PACKAGES.contains(packageOf(type))
                    && !type.isEquivalentTo(NodeIdentity.class)
                    && !type.isEquivalentTo(SubjectHomes.class));

    @Test
    void stateOwnedByALoopUsesNoConcurrencyTools() {
        String because = "only classes named in docs/architecture.md pass state between loops";
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
        for (String folder : List.of(
                "session",
                "subject",
                "history",
                "turn",
                "handoff",
                "presence",
                "home",
                "delivery",
                "catchup",
                "supervision",
                "edge",
                "workgroup")) {
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
    private static final Set<String> MAY_READ_THE_TIME = Set.of("turn.Clock", "transport.Listener");

    private static final Set<String> LANE_OR_BELOW = Set.of(
            "session",
            "subject",
            "history",
            "broker",
            "entitlement",
            "turn",
            "handoff",
            "presence",
            "home",
            "delivery",
            "catchup",
            "supervision",
            "edge",
            "workgroup");

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
                        type -> !mayReadTheTime(type) && LANE_OR_BELOW.contains(packageOf(type))))
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
