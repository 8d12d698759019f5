package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests an entitlement provider that is loaded from a jar at run time. */
final class CustomEntitlementTest {
    private static final String SERVICE = "META-INF/services/io.belfry.spi.entitlement.EntitlementProvider";

    private static final String ODD = """
            package odd;
            import io.belfry.spi.entitlement.*;
            import java.util.List;
            public final class Odd implements EntitlementProvider {
                @Override
                public void decide(Question question, Reply reply) throws Exception {
                    Grant all = Grant.of(List.of("/**"), List.of("/**"));
                    switch (question.token().orElse("")) {
                        case "throws" -> throw new Exception("odd, as asked");
                        case "twice" -> { reply.allow(all); reply.refuse("after all"); }
                        case "never" -> { }
                        case "late" -> { Thread.sleep(1500); reply.allow(all); }
                        case "other-thread" -> new Thread(() -> reply.allow(all)).start();
                        case "nonsense" -> reply.allow(Grant.of(List.of("no pattern"), List.of()));
                        case "certificate" -> reply.refuse("shown: " + question.certificate().orElse("none"));
                        case "peeks" -> reply.refuse(peek());
                        default -> reply.allow(Grant.nothing());
                    }
                }
                private static String peek() {
                    try {
                        Class.forName("io.belfry.server.Server");
                        return "the server's classes are in sight";
                    } catch (ClassNotFoundException e) {
                        return "the server's classes are out of sight";
                    }
                }
            }
            """;

    @TempDir
    private Path folder = Path.of("");

    /** Compiles one class and puts it into a jar that names the class as a provider. */
    private void jar(String name, String className, String source) throws IOException {
        Path sources = Files.createDirectories(folder.resolve(name + "-src"));
        Path classes = Files.createDirectories(folder.resolve(name + "-classes"));
        Path file = sources.resolve(className.substring(className.lastIndexOf('.') + 1) + ".java");
        Files.writeString(file, source);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-cp", System.getProperty("java.class.path"), "-d", classes.toString());
            boolean well = compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(file))
                    .call();
            assertThat(well).as(said.toString()).isTrue();
        }
        Path jars = Files.createDirectories(folder.resolve("jars"));
        try (OutputStream out = Files.newOutputStream(jars.resolve(name + ".jar"));
                JarOutputStream jar = new JarOutputStream(out);
                Stream<Path> compiled = Files.walk(classes)) {
            for (Path each : compiled.filter(Files::isRegularFile).toList()) {
                jar.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, jar);
            }
            jar.putNextEntry(new JarEntry(SERVICE));
            jar.write((className + "\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
    }

    private TestServer start(String... more) {
        String[] sets = Stream.concat(
                        Stream.of("Entitlement=Custom", "Entitlement.Folder=" + folder.resolve("jars")),
                        Stream.of(more))
                .toArray(String[]::new);
        return TestServer.start(sets);
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }

    @Tag("complete")
    @Test
    void theProviderReceivesTheClientCertificate() throws IOException {
        jar("odd", "odd.Odd", ODD);
        SelfSigned own = SelfSigned.make();
        SelfSigned ada = SelfSigned.make("CN=ada,O=Example", "-keyalg", "EC");
        try (TestServer server = start(
                        own.settings("Tls.ClientCertificates=want", "Tls.ClientAuthorities=" + ada.certificate()));
                Http known = new Http(RawConnection.encrypted(SelfSigned.client(ada, own), server.encryptedPort()));
                Http unknown =
                        new Http(RawConnection.encrypted(SelfSigned.client(null, own), server.encryptedPort()))) {
            assertThat(known.get("/history?subject=/a", bearer("certificate")).body())
                    .contains("shown: CN=ada,O=Example");
            assertThat(unknown.get("/history?subject=/a", bearer("certificate")).body())
                    .contains("shown: none");
        }
    }

    /** The example of the documentation behaves as documented. */
    @Test
    void theDocumentedExampleDecides() throws IOException {
        String page = Files.readString(TestMachine.root().resolve("docs/entitlement.md"));
        Matcher example = Pattern.compile("```java\\n(package example;.*?)```", Pattern.DOTALL)
                .matcher(page);
        assertThat(example.find()).isTrue();
        jar("members", "example.Members", example.group(1));
        try (TestServer server = start("Custom.Prefix=member-");
                TestClient member = TestClient.open(server, WireEncoding.JSON, bearer("member-ada"));
                TestClient guest = TestClient.open(server, WireEncoding.BINARY)) {
            member.subscribe("/rooms/**");
            member.publish("/rooms/1/ada", "hello");
            assertThat(member.expect(Event.Message.class).data()).isEqualTo("hello");
            member.send("/rooms/1/bob", "not I");
            assertThat(member.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
            guest.ask("/rooms/1");
            assertThat(guest.expect(Event.Failed.class).code()).isEqualTo("subscribe-denied");
            guest.connect("member-bob");
            guest.ask("/rooms/1/*");
            guest.expect(Event.Connected.class);
            guest.expect(Event.Subscribed.class);
            Http.Answer refused = SocketFrames.ask(server.port(), bearer("stranger"));
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.json().path("reason").asText()).isEqualTo("not a member");
        }
    }

    @Test
    void everyProviderFaultIsAnsweredAndDelaysNoOtherClient() throws IOException {
        jar("odd", "odd.Odd", ODD);
        try (TestServer server = start(
                "Entitlement.DecideTime=1s",
                "Monitor=HTTP",
                "MonitorHTTP.Listen=127.0.0.1:0",
                "MonitorHTTP.Authentication=false")) {
            server.expectErrors();
            Map<String, String> codes = Map.of(
                    "throws", "internal", "never", "decide-timeout", "late", "decide-timeout", "nonsense", "internal");
            codes.forEach((token, code) -> {
                Http.Answer answer = SocketFrames.ask(server.port(), bearer(token));
                assertThat(answer.code()).as(token).isEqualTo(code);
            });
            assertThat(SocketFrames.ask(server.port(), bearer("peeks"))
                            .json()
                            .path("reason")
                            .asText())
                    .isEqualTo("the server's classes are out of sight");
            for (String good : List.of("twice", "other-thread")) {
                try (TestClient client = TestClient.open(server, WireEncoding.JSON, bearer(good))) {
                    assertThat(client.publish("/a", "x").seq()).isPositive();
                }
            }
            try (TestClient waiting = TestClient.open(server, WireEncoding.JSON);
                    TestClient other = TestClient.open(server, WireEncoding.JSON, bearer("twice"))) {
                long id = waiting.connect("never");
                other.ping(7);
                assertThat(other.expect(Event.Pong.class).id()).isEqualTo(7);
                Event.Failed refused = waiting.expect(Event.Failed.class);
                assertThat(refused.code()).isEqualTo("decide-timeout");
                assertThat(refused.id()).isEqualTo(id);
                assertThat(waiting.end()).isEqualTo(1013);
            }
            try (Http monitor = Http.to(server.monitorHttpPort())) {
                Await.until(
                        "late and repeated decisions are counted",
                        () -> monitor.get("/metrics").body().contains("belfry_decisions_ignored_total 3"));
            }
        }
    }

    private static final String STRICT = """
            package strict;
            import io.belfry.spi.entitlement.*;
            import java.util.*;
            public final class Strict implements EntitlementProvider {
                private final String born = UUID.randomUUID().toString();
                private volatile Map<String, String> settings = Map.of();
                @Override
                public void start(Map<String, String> first) {
                    settings = Map.copyOf(first);
                }
                @Override
                public boolean reload(Map<String, String> next) throws Exception {
                    if (next.getOrDefault("word", "").isEmpty()) throw new Exception("no Word");
                    settings = Map.copyOf(next);
                    return true;
                }
                @Override
                public void decide(Question question, Reply reply) {
                    reply.refuse(settings + " " + born);
                }
            }
            """;

    private static String refusal(TestServer server) {
        return SocketFrames.ask(server.port(), bearer("any"))
                .json()
                .path("reason")
                .asText();
    }

    @Test
    void aRunningProviderTakesNewSettings() throws IOException {
        jar("strict", "strict.Strict", STRICT);
        try (TestServer server = start("Custom.Word=one")) {
            String first = refusal(server);
            assertThat(first).startsWith("{Word=one} ");
            server.reload("Custom.Word=two");
            String second = refusal(server);
            assertThat(second).isEqualTo(first.replace("one", "two"));
            server.reload("Custom.Word=");
            assertThat(refusal(server)).as("settings after a refused reload").isEqualTo(second);
            server.reload("LogLevel=INFO");
            assertThat(refusal(server)).isEqualTo(second);
        }
    }

    /** The provider of the documentation does not take new settings. */
    @Tag("complete")
    @Test
    void aProviderThatCannotReloadIsReplaced() throws IOException {
        Matcher example = Pattern.compile("```java\\n(package example;.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(TestMachine.root().resolve("docs/entitlement.md")));
        assertThat(example.find()).isTrue();
        jar("members", "example.Members", example.group(1));
        try (TestServer server = start("Custom.Prefix=member-");
                TestClient member = TestClient.open(server, WireEncoding.JSON, bearer("member-ada"))) {
            server.reload("Custom.Prefix=guest-");
            assertThat(SocketFrames.ask(server.port(), bearer("guest-bob")).status())
                    .isEqualTo(101);
            assertThat(SocketFrames.ask(server.port(), bearer("member-ada")).status())
                    .isEqualTo(401);
            assertThat(member.publish("/rooms/1/ada", "as granted").seq()).isPositive();
        }
    }

    @Tag("complete")
    @Test
    void theServerStartsOnlyWithExactlyOneProvider() throws IOException {
        Files.createDirectories(folder.resolve("jars"));
        assertThatThrownBy(() -> start().close()).hasMessageContaining("found 0");
        jar("odd", "odd.Odd", ODD);
        jar("odder", "odd.Odd", ODD.replace("Grant.nothing()", "all"));
        jar("other", "odd.Other", ODD.replace("class Odd", "class Other"));
        assertThatThrownBy(() -> start().close()).hasMessageContaining("found 2");
    }
}
