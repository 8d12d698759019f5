package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.ConfigKey;
import io.belfry.testsupport.KeyTool;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Gives secrets to a daemon in every possible way, uses them correctly and wrongly, and searches all its output for
 * them.
 */
@Tag("complete")
final class SecretsTest {
    /** A part of every secret that occurs nowhere else. */
    private static final String MARK = "HUSHHUSH";

    private static final String TOKEN = MARK + "-token-of-basic";
    private static final String JWT_SECRET = MARK + "-secret-of-tokens-32-bytes-long-at-least";
    private static final String STORE_PASSWORD = MARK + "-password-of-the-store";
    private static final String MONITOR_PASSWORD = MARK + "-password-of-the-monitor";

    /** This key cannot be combined with a key store, whose password is handled by the same code. */
    private static final List<String> LEFT_OUT = List.of("CertificateKeyPassword");

    @TempDir
    private Path folder = Path.of("");

    private static Map<String, String> secrets() {
        Map<String, String> secrets = new LinkedHashMap<>();
        secrets.put("EntitlementAllowToken", TOKEN);
        secrets.put("Jwt.Secret", JWT_SECRET);
        secrets.put("Decide.Secret", "whsec_" + MARK + "QuestionsOfDecisions0000");
        secrets.put("Events.Secret", "whsec_" + MARK + "EventsToTheApplication00");
        secrets.put("Custom.Password", MARK + "-password-of-a-provider");
        secrets.put("KeyStorePassword", STORE_PASSWORD);
        secrets.put("MonitorPassword", MONITOR_PASSWORD);
        secrets.put("ConsoleActPassword", MARK + "-password-for-changes");
        secrets.put("Otlp.headers.authorization", MARK + "-token-of-the-receiver");
        for (String client : List.of("clients", "producer", "consumer", "admin")) {
            secrets.put("Kafka." + client + ".sasl.jaas.config", MARK + "-password-of-kafka");
        }
        return secrets;
    }

    /** Returns the key that accepts a setting of this name. */
    private static String keyOf(String name) {
        return name.startsWith("Custom.") ? "Custom.*" : name.replaceFirst("^((Kafka|Otlp)\\.[a-z]+\\.).*", "$1*");
    }

    private Tool.Result belfry(String... arguments) {
        List<String> command = new ArrayList<>(TestMachine.java());
        // As the scripts start these commands, which live for a second.
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of("-Dbelfry.home=" + TestMachine.root(), "io.belfry.server.Main"));
        command.addAll(List.of(arguments));
        try (Tool tool = Tool.start(
                folder, Map.of("BELFRY_RUN_FOLDER", folder.resolve("run").toString()), command)) {
            return tool.await();
        }
    }

    @AfterEach
    void stop() {
        belfry("stop");
    }

    private Path configured(String entitlement) throws IOException {
        Path store = folder.resolve("store.p12");
        KeyTool.run(List.of(
                "-genkeypair",
                "-keyalg",
                "EC",
                "-storetype",
                "PKCS12",
                "-dname",
                "CN=test",
                "-keystore",
                store.toString(),
                "-storepass",
                STORE_PASSWORD));
        List<String> lines = new ArrayList<>(List.of(
                "Listen = 127.0.0.1:0",
                "Monitor = JMX, HTTP",
                "MonitorJMX.Listen = 127.0.0.1:0",
                "MonitorHTTP.Listen = 127.0.0.1:0",
                "LogLevel = TRACE",
                "LogFolder = " + folder.resolve("logs"),
                "Memory = 64 MB",
                "Workgroups = 1",
                // Nobody listens, so each export fails and is logged.
                "Otlp.Endpoint = http://127.0.0.1:1",
                "Otlp.Interval = 1 s",
                "Events.Endpoint.closed = http://127.0.0.1:1/",
                "Entitlement = " + entitlement,
                "KeyStore = " + store));
        // The monitor's password is given on the command line, the other way to give a setting.
        secrets().forEach((key, value) -> {
            if (!key.equals("MonitorPassword")) {
                lines.add(key + " = " + value);
            }
        });
        return Files.write(folder.resolve("belfry.conf"), lines);
    }

    @ParameterizedTest
    @MethodSource("entitlements")
    void noOutputOfTheServerContainsASecret(String entitlement) throws Exception {
        String signed = Jwts.hs256(Jwts.claims(600, "{\"all\":[\"/**\"]}"), JWT_SECRET);
        String good = entitlement.equals("JWT") ? signed : TOKEN;
        assertThat(Arrays.stream(ConfigKey.values()).filter(ConfigKey::secret).map(ConfigKey::keyName))
                .as("secret keys covered by this test")
                .containsExactlyInAnyOrderElementsOf(Stream.concat(
                                LEFT_OUT.stream(), secrets().keySet().stream().map(SecretsTest::keyOf))
                        .toList());
        String config = configured(entitlement).toString();
        Map<String, String> said = new LinkedHashMap<>();
        said.put("check", belfry("check", "-c", config).wellDone());
        assertThat(said.get("check")).contains("Jwt.Secret = (hidden)");
        Tool.Result start = belfry("start", "-c", config, "--set", "MonitorPassword=" + MONITOR_PASSWORD);
        said.put("start", start.wellDone() + start.errors());
        String status = belfry("status").wellDone();
        said.put("status", status);
        said.put("command line", Files.readString(Path.of("/proc", found("pid (\\d+)", status), "cmdline")));
        useSecrets(Integer.parseInt(found("127\\.0\\.0\\.1:(\\d+)", status)), good);
        String log = Files.readString(folder.resolve("logs/belfry.log"));
        said.put("HTTP monitor", monitorHttp(Integer.parseInt(found("HTTP monitor: http://127.0.0.1:(\\d+)", log))));
        said.put("JMX", allBeans(found("(service:jmx:rmi:\\S+)", log)));
        said.put("reload", belfry("reload").wellDone());
        said.put("stop", belfry("stop").wellDone());
        try (Stream<Path> logs = Files.walk(folder.resolve("logs"))) {
            for (Path file : logs.filter(Files::isRegularFile).toList()) {
                said.put(file.toString(), Files.readString(file));
            }
        }
        assertThat(said.get("JMX")).contains("java.lang:type=Runtime", "io.belfry:type=Server");
        said.forEach(
                (where, text) -> assertThat(text).as(where).doesNotContain(MARK, good.substring(good.length() - 20)));
    }

    private static String found(String regex, String text) {
        Matcher matcher = Pattern.compile(regex).matcher(text);
        assertThat(matcher.find()).as("%s in %s", regex, text).isTrue();
        return matcher.group(1);
    }

    /**
     * Logs in with good and bad tokens in all possible ways; a token that differs by one letter would reveal the
     * secret too.
     */
    private static void useSecrets(int port, String good) {
        assertThat(SocketFrames.ask(port, "Authorization: Bearer " + good).status())
                .isEqualTo(101);
        for (String token : List.of(good, good + "x", MARK + "-wrong-token")) {
            String bearer = "Authorization: Bearer " + token;
            SocketFrames.ask(port, bearer);
            SocketFrames.ask(port, "Sec-WebSocket-Protocol: belfry.json.v1, belfry.bearer." + token);
            try (Http http = Http.to(port)) {
                http.post("/publish?subject=/a", "x", bearer);
                http.get("/history?subject=/a&token=" + token);
                http.get("/nothing/here?token=" + token, bearer);
            }
            try (TestClient client = TestClient.over(RawConnection.to(port), WireEncoding.JSON)) {
                client.sendRaw(("{\"op\":\"connect\",\"token\":\"" + token + "\"").getBytes(StandardCharsets.UTF_8));
                client.next();
                client.connect(token);
                client.next();
            }
        }
    }

    private static String monitorHttp(int port) {
        StringBuilder all = new StringBuilder();
        for (String password : List.of(MONITOR_PASSWORD, MARK + "-wrong")) {
            String login = Base64.getEncoder().encodeToString(("admin:" + password).getBytes(StandardCharsets.UTF_8));
            for (String path : List.of("/stats", "/metrics", "/health/ready", "/console/api/settings")) {
                try (Http http = Http.to(port)) {
                    all.append(http.get(path, "Authorization: Basic " + login).body());
                }
            }
        }
        assertThat(all.toString()).contains("belfry_sessions_connected", "\"key\":\"ConsoleActPassword\"");
        return all.toString();
    }

    @SuppressWarnings("BanJNDI") // This is how a JMX client connects, and the server is ours.
    private static String allBeans(String url) throws Exception {
        StringBuilder all = new StringBuilder();
        String[] login = {"admin", MONITOR_PASSWORD};
        try (JMXConnector connector =
                JMXConnectorFactory.connect(new JMXServiceURL(url), Map.of(JMXConnector.CREDENTIALS, login))) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            for (ObjectName name : beans.queryNames(null, null)) {
                for (MBeanAttributeInfo attribute : beans.getMBeanInfo(name).getAttributes()) {
                    all.append(name).append(' ').append(attribute.getName()).append(' ');
                    all.append(value(beans, name, attribute.getName())).append('\n');
                }
            }
        }
        return all.toString();
    }

    private static String value(MBeanServerConnection beans, ObjectName name, String attribute) {
        try {
            return text(beans.getAttribute(name, attribute));
        } catch (Exception unreadable) {
            return String.valueOf(unreadable);
        }
    }

    private static String text(Object value) {
        return switch (value) {
            case Object[] array -> Arrays.deepToString(array);
            case CompositeData data -> data.values().toString();
            case TabularData table ->
                table.values().stream().map(String::valueOf).collect(Collectors.joining("\n"));
            default -> String.valueOf(value);
        };
    }

    static Stream<String> entitlements() {
        return TestScope.variants(List.of("JWT", "Basic"));
    }
}
