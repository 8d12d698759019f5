package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.belfry.settings.Problem;
import io.belfry.settings.SettingsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigLoaderTest {
    private static final String C12M = """
            Memory = 55296 MB                       # heap of the JVM
            Listen = *:8800                         # clients
            Monitor = JMX
            MonitorJMX.Listen = 192.168.3.115:3000
            MonitorJMX.Authentication = false
            BufferLimit.Send = 800
            BufferLimit.Receive = 800
            PubSubTightlyCoupled = false
            CacheSize = 0
            BenchmarkMode = true
            """;

    private static final JwtConfig NO_JWT = new JwtConfig(
            new JwtKeyConfig(
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    300_000,
                    10_000),
            Optional.empty(),
            Optional.empty(),
            0,
            true);

    @TempDir
    private Path folder = Path.of("");

    @Test
    void anEmptyConfigurationHasTheDocumentedDefaults() {
        ServerConfig config = ServerConfig.defaults();

        assertThat(config.network().listen())
                .isEqualTo(new ListenConfig(
                        List.of(new ListenAddress("*", 8800)), List.of(), ListenConfig.NativeIo.AUTO, List.of()));
        assertThat(config.workgroups().benchmarkMode()).isFalse();
        assertThat(config.messages())
                .isEqualTo(new MessageConfig(
                        65_536,
                        8192,
                        8192,
                        131_072,
                        0,
                        0,
                        false,
                        CompressionConfig.OFF,
                        DeltaConfig.DEFAULT,
                        HeaderConfig.DEFAULT));
        assertThat(config.history())
                .isEqualTo(new HistoryConfig(
                        HistoryConfig.Kind.MEMORY,
                        1000,
                        180_000,
                        128L << 20,
                        Path.of("data"),
                        HistoryConfig.Sync.GROUP,
                        4L << 30,
                        (512 << 20) / 64));
        assertThat(config.slowConsumer())
                .isEqualTo(new SlowConsumerConfig(SlowConsumerConfig.Policy.DISCONNECT, List.of(), 1 << 20, 30_000));
        assertThat(config.entitlement())
                .isEqualTo(new EntitlementConfig(
                        EntitlementConfig.Kind.BASIC,
                        Optional.empty(),
                        Optional.empty(),
                        5_000,
                        10_000,
                        10_000,
                        60_000,
                        false,
                        NO_JWT,
                        new EntitlementConfig.CustomConfig(Optional.empty(), Map.of()),
                        Optional.empty()));
        assertThat(config.limits())
                .isEqualTo(new LimitConfig(
                        new ConnectionLimitConfig(0, 200_000, 5000, 16 << 10, 64 << 20),
                        new AddressLimitConfig(65_536, 10_000, 0, 0, 300),
                        1000,
                        100_000,
                        100_000,
                        64 << 20,
                        new PingConfig(25_000, 10_000, 86_400_000),
                        new BacklogLimitConfig(16 << 20, 16 << 20),
                        new LoadLimitConfig(10_000, 10_000, 512 << 10, 64 << 10, 100, 32 << 20),
                        new HeldLimitConfig(
                                64 << 10,
                                1024,
                                65_536,
                                new KeptSessionConfig(60_000, 100_000, 64 << 20),
                                new ClientNameConfig(false, 100_000),
                                new UserLimitConfig(0, UserLimitConfig.Policy.CLOSE_OLDEST, 0, 0))));
        assertThat(config.monitor())
                .isEqualTo(new MonitorConfig(
                        new MonitorConfig.Endpoint(true, new ListenAddress("127.0.0.1", 3000), true, false),
                        false,
                        new MonitorConfig.Endpoint(false, new ListenAddress("127.0.0.1", 4000), true, false),
                        "admin",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        TlsGroup.INTERMEDIATE,
                        new ConsoleConfig(true, Optional.empty(), Optional.empty())));
        assertThat(config.process().log()).isEqualTo(new LogConfig(60_000, Path.of("logs"), "INFO", 10 << 20, 10));
        assertThat(config.process().trial()).isEqualTo(new TrialConfig(false, Optional.empty()));
        assertThat(config.process().memoryBytes()).isEqualTo(512L << 20);
    }

    @Test
    void theDefaultsAllowTheLargestPublishedTests() {
        LimitConfig limits = ServerConfig.defaults().limits();

        assertThat(limits.ofConnections().connections()).isZero();
        assertThat(limits.ofAddress().connections()).isGreaterThan(65_535 - 500);
        assertThat(limits.ofConnections().connectRate()).isGreaterThan(100_000);
        assertThat(limits.publishRate()).isGreaterThan(25_000);
        assertThat(limits.ofAddress().connectRate()).isZero();
        assertThat(limits.ofAddress().publishRate()).isZero();
        assertThat(load(C12M).limits().load().subjects()).isGreaterThan(2 * 12_000_000);
    }

    @Test
    void thePublishedC12mBlockIsRead() {
        ServerConfig config = load(C12M);

        assertThat(config.process().memoryBytes()).isEqualTo(55_296L << 20);
        assertThat(config.network().listen().plain()).containsExactly(new ListenAddress("*", 8800));
        assertThat(config.monitor().jmx().open()).isTrue();
        assertThat(config.monitor().http().open()).isFalse();
        assertThat(config.monitor().jmx().address()).isEqualTo(new ListenAddress("192.168.3.115", 3000));
        assertThat(config.monitor().jmx().authentication()).isFalse();
        assertThat(config.monitor().jmx().authenticationWritten()).isTrue();
        assertThat(config.messages().sendBufferInitial()).isEqualTo(800);
        assertThat(config.messages().receiveBufferInitial()).isEqualTo(800);
        assertThat(config.history().keepsNothing()).isTrue();
        assertThat(config.workgroups().benchmarkMode()).isTrue();
    }

    @Test
    void thePublishedC10mBlockIsRead() {
        ServerConfig config = load(C12M, "Workgroups = 10", "IoThreads = 20", "X.Native.Io = true");

        assertThat(config.workgroups()).isEqualTo(new WorkgroupConfig(10, 20, true, true, true));
        assertThat(config.network().listen().nativeIo()).isEqualTo(ListenConfig.NativeIo.EPOLL);
    }

    @Test
    void everyKeySetsItsRecord() {
        ServerConfig config = load(
                "Listen = 127.0.0.1:0, [::1]:{8801..8802}",
                "AllowedOrigins = https://{www,m}.example.com",
                "X.Native.Io = false",
                "MaxMessageSize = 32 KB",
                "MaxBatchingSpace = 4 KB",
                "MaxBatchingTime = 20",
                "PubSubTightlyCoupled = yes",
                "CacheExpireTime = 2 m",
                "CacheMemory = 10 MB",
                "History.Folder = /var/lib/belfry",
                "History.Sync = OS",
                "SlowConsumer.MaxBytes = 32 KB",
                "SlowConsumer.Grace = 1500 ms",
                "Entitlement = NONE",
                "EntitlementAllowToken = 0123abcd",
                "Monitor = HTTP, jmx",
                "MonitorJMX.Encryption = true",
                "KeyStore = a.p12",
                "KeyStorePassword = changeit",
                "MonitorUsername = eve",
                "MonitorPasswordFile = secret.txt",
                "LogLevel = debug",
                "Stats.LogInterval = 0",
                "X.Echo = on",
                "DocumentRoot = www");

        assertThat(config.network().listen().plain())
                .containsExactly(
                        new ListenAddress("127.0.0.1", 0),
                        new ListenAddress("::1", 8801),
                        new ListenAddress("::1", 8802));
        assertThat(config.network().listen().allowedOrigins())
                .containsExactly("https://www.example.com", "https://m.example.com");
        assertThat(config.network().listen().nativeIo()).isEqualTo(ListenConfig.NativeIo.NIO);
        assertThat(config.messages())
                .isEqualTo(new MessageConfig(
                        32_768,
                        8192,
                        8192,
                        131_072,
                        4096,
                        20,
                        true,
                        CompressionConfig.OFF,
                        DeltaConfig.DEFAULT,
                        HeaderConfig.DEFAULT));
        assertThat(config.history())
                .isEqualTo(new HistoryConfig(
                        HistoryConfig.Kind.MEMORY,
                        1000,
                        120_000,
                        10 << 20,
                        Path.of("/var/lib/belfry"),
                        HistoryConfig.Sync.OS,
                        4L << 30,
                        (512 << 20) / 64));
        assertThat(config.slowConsumer().maxBytes()).isEqualTo(32_768);
        assertThat(config.slowConsumer().graceMillis()).isEqualTo(1500);
        assertThat(config.entitlement().kind()).isEqualTo(EntitlementConfig.Kind.NONE);
        assertThat(config.entitlement().allowToken()).contains("0123abcd");
        assertThat(config.monitor().jmx().open()).isTrue();
        assertThat(config.monitor().http().open()).isTrue();
        assertThat(config.monitor().jmxEncryption()).isTrue();
        assertThat(config.monitor().keyStore()).contains(Path.of("a.p12"));
        assertThat(config.monitor().username()).isEqualTo("eve");
        assertThat(config.monitor().passwordFile()).contains(Path.of("secret.txt"));
        assertThat(config.process().log().level()).isEqualTo("DEBUG");
        assertThat(config.process().log().statsIntervalMillis()).isZero();
        assertThat(config.process().trial()).isEqualTo(new TrialConfig(true, Optional.of(Path.of("www"))));
    }

    @Test
    void writtenNumbersOverrideTheDefaultNumberOfThreads() {
        assertThat(load("Workgroups = 64").workgroups().ioThreads()).isEqualTo(64);
        assertThat(load("IoThreads = 1").workgroups()).isEqualTo(new WorkgroupConfig(1, 1, true, true, false));
        assertThat(problems("Workgroups = 4", "IoThreads = 2"))
                .containsExactly(
                        at(2, "IoThreads = 2: must not be less than Workgroups (4): each workgroup needs a thread"));
    }

    @Test
    void theMonitorCanBeSwitchedOff() {
        MonitorConfig monitor = load("Monitor = none").monitor();

        assertThat(monitor.jmx().open() || monitor.http().open()).isFalse();
        assertThat(problems("Monitor = JMX, SNMP"))
                .containsExactly(at(
                        1,
                        "Monitor = JMX, SNMP: SNMP is not a kind of monitor;"
                                + " must be a list of JMX and HTTP, or none"));
    }

    @Test
    void allProblemsAreReportedAtOnceWithTheirLines() {
        assertThat(problems(
                        "Listn = *:1",
                        "MaxMessageSize = big",
                        "Listen = *:8800, here",
                        "Memory = 1 MB",
                        "# one more",
                        "MonitorHTTP.Listen = 4000"))
                .containsExactly(
                        at(1, "Listn: unknown key; the most similar key is Listen"),
                        at(2, "MaxMessageSize = big: must be a whole number with B, KB, MB, GB or TB"),
                        at(4, "Memory = 1 MB: must be 32 MB or more"),
                        at(3, "Listen = *:8800, here: the address here " + ListenAddress.RULE),
                        at(6, "MonitorHTTP.Listen = 4000: the address 4000 " + ListenAddress.RULE));
        assertThat(problems("AllowedOrigins = https://example.com/"))
                .containsExactly(at(
                        1,
                        "AllowedOrigins = https://example.com/: https://example.com/ is not an origin;"
                                + " must be *, web or such as"
                                + " https://www.example.com, without a path"));
    }

    @Test
    void rulesBetweenRecordsAreReportedWithALocation() {
        assertThat(problems("MaxMessageSize = 2 MB"))
                .containsExactly("default: SlowConsumer.MaxBytes = 1 MB: must not be less than MaxMessageSize (2 MB),"
                        + " or a single message would make its subscriber slow");
    }

    @Test
    void aClusterNeedsBrokersAndSafeKafkaSettings() {
        assertThat(problems("ClusterEngine = kafka"))
                .containsExactly(
                        "default: Kafka.Brokers: is required by ClusterEngine = kafka: host:port, or a list of them");
        String kafka = "ClusterEngine = kafka";
        String brokers = "Kafka.Brokers = a:9092, b:9092";
        assertThat(problems(kafka, brokers, "Kafka.producer.acks = 1"))
                .containsExactly(at(
                        3,
                        "Kafka.producer.acks = (hidden): must be all, or an acknowledged message could be lost;"
                                + " remove this line"));
        assertThat(problems(kafka, brokers, "Kafka.clients.group.id = us"))
                .singleElement()
                .asString()
                .contains("every node reads every partition");
        assertThat(problems(kafka, brokers, "Kafka.Bridge = orders, belfry.messages"))
                .singleElement()
                .asString()
                .contains("is this cluster's own topic");
        assertThat(problems(kafka, brokers, "Kafka.Bridge = orders, no/topic"))
                .singleElement()
                .asString()
                .contains("must be letters");
        assertThat(problems(kafka, brokers, "Kafka.RepeatTime = 180 s"))
                .singleElement()
                .asString()
                .contains("must be longer than Kafka.RepeatTime");
        assertThat(problems(kafka, brokers, "History = disk"))
                .singleElement()
                .asString()
                .contains("has no effect under ClusterEngine = kafka");
    }

    @Test
    void settingsOfKafkasClientsArePassedOn() {
        KafkaConfig config = load(
                        "ClusterEngine = kafka",
                        "Kafka.Brokers = a:9092, b:9092",
                        "Kafka.producer.linger.ms = 5",
                        "Kafka.clients.security.protocol = SSL")
                .kafka()
                .orElseThrow();
        assertThat(config.brokers()).containsExactly("a:9092", "b:9092");
        assertThat(config.clients().producer()).isEqualTo(Map.of("linger.ms", "5"));
        assertThat(config.clients().all()).isEqualTo(Map.of("security.protocol", "SSL"));
        assertThat(load().kafka()).isEmpty();
    }

    @Test
    void tokensNeedAKeyFromASafeSource() {
        assertThat(problems("Entitlement = jwt", "Jwt.Issuer = me"))
                .singleElement()
                .asString()
                .contains("needs a key", "Jwt.PublicKey");
        for (String unsafe : List.of("http://example.com/keys", "ftp://127.0.0.1/k", "https://a:b@example.com/k")) {
            assertThat(problems("Entitlement = jwt", "Jwt.Jwks = " + unsafe))
                    .singleElement()
                    .asString()
                    .contains("must be a file, an https URL");
        }
        JwtKeyConfig keys = load("Entitlement = jwt", "Jwt.Jwks = http://127.0.0.1:80/keys", "Jwt.Algorithm = es256")
                .entitlement()
                .jwt()
                .keys();
        assertThat(keys.jwksUrl()).isPresent();
        assertThat(keys.jwksFile()).isEmpty();
        assertThat(keys.algorithm()).contains("ES256");
        assertThat(problems("EntitlementAllowToken = 0123abcd", "EntitlementAllowTokenFile = a"))
                .hasSize(1);
    }

    @Test
    void proxiesAreAddressesOrRanges() throws Exception {
        ProxyConfig proxies = load("TrustedProxies = 10.1.0.0/15, ::1, 192.168.1.{1..2}")
                .network()
                .proxies();
        for (String trusted : List.of("10.0.255.255", "10.1.2.3", "::1", "192.168.1.2")) {
            assertThat(proxies.trusts(InetAddress.ofLiteral(trusted)))
                    .as(trusted)
                    .isTrue();
        }
        for (String stranger : List.of("10.2.0.0", "::2", "192.168.1.3", "9.255.255.255", "::ffff:0:0:1")) {
            assertThat(proxies.trusts(InetAddress.ofLiteral(stranger)))
                    .as(stranger)
                    .isFalse();
        }
        assertThat(proxies.trusts(null)).isFalse();
        for (String wrong : List.of("example.com", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "10.0.0.0/x", "/8")) {
            assertThat(problems("TrustedProxies = " + wrong))
                    .singleElement()
                    .asString()
                    .contains("must be an IP address, or a range such as 10.0.0.0/8");
        }
        assertThat(problems("ProxyProtocol = true"))
                .containsExactly(at(1, "ProxyProtocol = true: needs TrustedProxies"));
    }

    @Test
    void theFirstMatchingPatternDefinesTheSlowConsumerPolicy() {
        SlowConsumerConfig slow = load(
                        "SlowConsumer = drop",
                        "SlowConsumer.Subjects = /prices/slow disconnect, /prices/** Conflate, /{a,b b}/* disconnect")
                .slowConsumer();
        assertThat(slow.policyOf(utf8("/prices/slow"))).isEqualTo(SlowConsumerConfig.Policy.DISCONNECT);
        assertThat(slow.policyOf(utf8("/prices/x/y"))).isEqualTo(SlowConsumerConfig.Policy.CONFLATE);
        assertThat(slow.policyOf(utf8("/b b/y"))).isEqualTo(SlowConsumerConfig.Policy.DISCONNECT);
        assertThat(slow.policyOf(utf8("/else"))).isEqualTo(SlowConsumerConfig.Policy.DROP);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void anInvalidPatternOrPolicyIsReportedWithItsRule() {
        assertThat(problems("SlowConsumer.Subjects = /prices/**"))
                .containsExactly(at(
                        1,
                        "SlowConsumer.Subjects = /prices/**: /prices/** must be a pattern, a space, and one of"
                                + " disconnect, conflate, drop"));
        assertThat(problems("SlowConsumer.Subjects = /prices/** forget"))
                .containsExactly(at(
                        1,
                        "SlowConsumer.Subjects = /prices/** forget: forget must be one of disconnect, conflate, drop"));
        assertThat(problems("SlowConsumer.Subjects = prices drop"))
                .containsExactly(at(
                        1,
                        "SlowConsumer.Subjects = prices drop: the pattern prices is not valid:"
                                + " a subject must begin with '/'"));
    }

    @Test
    void aHistoryOnDiskNeedsACacheAndRoomForRetainedMessages() {
        assertThat(load("History = disk").history().kind()).isEqualTo(HistoryConfig.Kind.DISK);
        assertThat(problems("History = disk", "CacheSize = 0"))
                .containsExactly(at(2, "CacheSize = 0: keeps no messages, also not on disk; use History = memory"));
        assertThat(problems("History = disk", "History.DiskBytes = 64 MB"))
                .containsExactly(
                        at(2, "History.DiskBytes = 64 MB: must be at least four times Limit.RetainedBytes (64 MB)"));
        assertThat(load("History.DiskBytes = 64 MB").history().diskBytes()).isEqualTo(64 << 20);
    }

    @Test
    void channelsAndIoUringAreUsedOnlyOnRequest() {
        assertThat(load("X.Native.Io = channels").network().listen().nativeIo())
                .isEqualTo(ListenConfig.NativeIo.CHANNELS);
        assertThat(load("X.Native.Io = io_uring").network().listen().nativeIo())
                .isEqualTo(ListenConfig.NativeIo.IO_URING);
    }

    @Test
    void environmentVariablesSetKeysUnlessTheyAreOfTheScripts() {
        ServerConfig config = ConfigLoader.load(
                Optional.empty(),
                Map.of("BELFRY_MONITORJMX_LISTEN", "127.0.0.1:3001", "BELFRY_JAVA_HOME", "/opt/jdk"),
                List.of("X.Native.Io=false"));

        assertThat(config.monitor().jmx().address().port()).isEqualTo(3001);
        assertThat(config.network().listen().nativeIo()).isEqualTo(ListenConfig.NativeIo.NIO);
        assertThatExceptionOfType(SettingsException.class)
                .isThrownBy(() -> ConfigLoader.load(Optional.empty(), Map.of("BELFRY_LISTNE", "*:1"), List.of()))
                .withMessage(
                        "environment: BELFRY_LISTNE: no key belongs to this variable; the most similar variable is BELFRY_LISTEN");
    }

    @Test
    void aWeakOrInvalidTokenIsRefusedWithoutShowingIt() {
        assertThat(problems("EntitlementAllowToken = short"))
                .singleElement()
                .asString()
                .startsWith(at(1, "EntitlementAllowToken = (hidden): must be 8 or more"))
                .doesNotContain("short");
        assertThat(problems("EntitlementAllowToken = with some spaces")).hasSize(1);
    }

    private ServerConfig load(String... lines) {
        return ConfigLoader.load(Optional.of(write(lines)), Map.of(), List.of());
    }

    private List<String> problems(String... lines) {
        try {
            load(lines);
            return List.of();
        } catch (SettingsException refused) {
            return refused.problems().stream().map(Problem::toString).toList();
        }
    }

    private String at(int line, String rest) {
        return folder.resolve("belfry.conf") + ":" + line + ": " + rest;
    }

    private Path write(String... lines) {
        try {
            return Files.writeString(folder.resolve("belfry.conf"), String.join("\n", lines));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
