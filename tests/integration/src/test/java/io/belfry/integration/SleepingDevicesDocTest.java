package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Position;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the example of the guide for devices that sleep. */
final class SleepingDevicesDocTest {
    private static final String SUBJECT = "/news";
    private static final String MISSING = "messages are missing: load the current state from the application's server";

    @TempDir
    Path folder;

    private final List<String> shown = new CopyOnWriteArrayList<>();

    /** Compiles the example of the page and returns its class. */
    private Class<?> example() throws Exception {
        String page = Files.readString(TestMachine.root().resolve("docs/how-to/push-to-sleeping-devices.md"));
        Matcher found = Pattern.compile("```java\\n(package example;.*?)```", Pattern.DOTALL)
                .matcher(page);
        assertThat(found.find()).isTrue();
        Path source = folder.resolve("SleepingFeed.java");
        Files.writeString(source, found.group(1));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of("-cp", System.getProperty("java.class.path"), "-d", folder.toString());
            boolean well = compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(source))
                    .call();
            assertThat(well).as(said.toString()).isTrue();
        }
        ClassLoader loader = new URLClassLoader(
                new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
        return loader.loadClass("example.SleepingFeed");
    }

    /** Starts the example, reports a wake to it, runs the checks and closes it. */
    private void whileAwake(Class<?> feed, TestServer server, Runnable checks) throws Exception {
        Consumer<String> show = shown::add;
        Object awake = feed.getConstructor(String.class, String.class, Path.class, Consumer.class)
                .newInstance("ws://127.0.0.1:" + server.port(), SUBJECT, folder.resolve("position"), show);
        try {
            feed.getMethod("onWake").invoke(awake);
            checks.run();
        } finally {
            feed.getMethod("close").invoke(awake);
        }
    }

    private void awaitShown(String... expected) {
        Await.until("the messages are shown", () -> shown.size() >= expected.length);
        assertThat(shown).containsExactly(expected);
    }

    @Test
    void theDocumentedExampleContinuesAfterItsSleeps() throws Exception {
        Class<?> feed = example();
        try (TestServer server = TestServer.start("CacheSize=3");
                TestClient publisher = TestClient.open(server, WireEncoding.JSON)) {
            Position first = publisher.publish(SUBJECT, "1");
            whileAwake(feed, server, () -> {
                awaitShown("1");
                publisher.publish(SUBJECT, "2");
                awaitShown("1", "2");
            });
            publisher.publish(SUBJECT, "3");
            whileAwake(feed, server, () -> awaitShown("1", "2", "3"));
            for (int i = 4; i <= 9; i++) {
                publisher.publish(SUBJECT, Integer.toString(i));
            }
            whileAwake(feed, server, () -> awaitShown("1", "2", "3", MISSING, "7", "8", "9"));
            requirePollAfter(server, first);
        }
    }

    private static void requirePollAfter(TestServer server, Position position) {
        try (Http http = Http.to(server.port())) {
            JsonNode answer = http.get("/poll?subject=" + SUBJECT + "&from=" + position + "&wait=0")
                    .json();
            assertThat(answer.path("messages").path(0).path("op").asText()).isEqualTo("gap");
            assertThat(answer.path("messages").path(3).path("data").asText()).isEqualTo("9");
            assertThat(answer.path("seq").asLong()).isEqualTo(position.seq() + 8);
        }
    }
}
