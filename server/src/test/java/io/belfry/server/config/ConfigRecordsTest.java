package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.belfry.settings.InvalidSetting;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ConfigRecordsTest {
    private static final ListenAddress ANY = new ListenAddress("*", 8800);

    @Test
    void anAddressIsReadAndWrittenInTheSameForm() {
        for (String text :
                List.of("*:8800", "127.0.0.1:0", "belfry.example.com:65535", "[::1]:1", "[fe80::1%eth0]:80")) {
            assertThat(ListenAddress.parse("Listen", text)).hasToString(text);
        }
        assertThat(ListenAddress.parse("Listen", "[::1]:80").host()).isEqualTo("::1");
    }

    @Test
    void invalidAddressesAreRefused() {
        for (String text : List.of(
                "8800", ":8800", "*", "*:", "*:65536", "*:-1", "::1:80", "[127.0.0.1]:80", "a b:1", "[]:1", "*a:1")) {
            assertThatExceptionOfType(InvalidSetting.class)
                    .as(text)
                    .isThrownBy(() -> ListenAddress.parse("Listen", text));
        }
    }

    @Test
    void loopbackAndAnyAddressesAreRecognized() {
        assertThat(ANY.any()).isTrue();
        assertThat(ANY.loopback()).isFalse();
        assertThat(new ListenAddress("127.8.0.1", 1).loopback()).isTrue();
        assertThat(new ListenAddress("LocalHost", 1).loopback()).isTrue();
        assertThat(new ListenAddress("::1", 1).loopback()).isTrue();
        assertThat(new ListenAddress("127.evil.example", 1).loopback()).isFalse();
    }

    @Test
    void listenersMustBeThereAndDiffer() {
        assertRefused(
                () -> listen(List.of(), List.of()),
                "Listen = none: needs an address, because ListenEncrypted has none");
        assertRefused(() -> listen(List.of(ANY), List.of(ANY)), "Listen: the address *:8800 is listed twice");
        ListenAddress free = new ListenAddress("*", 0);
        assertThat(listen(List.of(free, free), List.of()).plain()).hasSize(2);
    }

    @Test
    void anOriginHasNoPath() {
        ListenConfig any = new ListenConfig(List.of(ANY), List.of(), ListenConfig.NativeIo.AUTO, List.of("*"));

        assertThat(any.anyOrigin()).isTrue();
        for (String origin : List.of("example.com", "https://example.com/", "https://", "https://a@b", "null", "Web")) {
            assertThatExceptionOfType(InvalidSetting.class)
                    .isThrownBy(() ->
                            new ListenConfig(List.of(ANY), List.of(), ListenConfig.NativeIo.AUTO, List.of(origin)));
        }
    }

    @Test
    void refusalsContainTheKeyTheValueAndTheRule() {
        assertRefused(() -> new WorkgroupConfig(0, 1, true, true, false), "Workgroups = 0: must be from 1 to 64");
        assertRefused(() -> new WorkgroupConfig(1, 65, true, true, false), "IoThreads = 65: must be from 1 to 64");
        assertRefused(
                () -> new MessageConfig(
                        0, 800, 800, 0, 0, 0, false, CompressionConfig.OFF, DeltaConfig.DEFAULT, HeaderConfig.DEFAULT),
                "MaxMessageSize = 0: must be from 1 to 268435456");
        assertRefused(
                () -> new MessageConfig(
                        1,
                        800,
                        800,
                        0,
                        0,
                        10_001,
                        false,
                        CompressionConfig.OFF,
                        DeltaConfig.DEFAULT,
                        HeaderConfig.DEFAULT),
                "MaxBatchingTime = 10001: must be from 0 to 10000");
        assertRefused(
                () -> new MessageConfig(
                        1,
                        800,
                        800,
                        0,
                        4096,
                        0,
                        false,
                        CompressionConfig.OFF,
                        DeltaConfig.DEFAULT,
                        HeaderConfig.DEFAULT),
                "MaxBatchingSpace = 4096: has no effect while MaxBatchingTime is 0;"
                        + " set MaxBatchingTime or remove this line");
        assertRefused(
                () -> new CompressionConfig(true, 0, 100, 0), "Compression.MinBytes = 0: must be from 1 to 268435456");
        assertRefused(
                () -> new CompressionConfig(true, 256, 1033, 0), "Limit.InflateRatio = 1033: must be from 0 to 1032");
        assertRefused(() -> new CompressionConfig(true, 256, 0, -1), "Limit.InflateRate = -1: must be 0 or more");
        assertRefused(() -> new DeltaConfig(true, 0, 1, 1), "Delta.MinBytes = 0: must be from 1 to 1048576");
        assertRefused(
                () -> new DeltaConfig(true, 1, 1 << 21, 1), "Delta.MaxBytes = 2097152: must be from 1 to 1048576");
        assertRefused(() -> new DeltaConfig(true, 1, 1, -1), "Limit.DeltaBytes = -1: must be 0 or more");
        assertRefused(
                () -> new HistoryConfig(
                        HistoryConfig.Kind.MEMORY, -1, 1, 0, Path.of("data"), HistoryConfig.Sync.GROUP, 1 << 30, 1),
                "CacheSize = -1: must be from 0 to 10000000");
        assertRefused(
                () -> new SlowConsumerConfig(SlowConsumerConfig.Policy.DROP, List.of(), 1, 0),
                "SlowConsumer.MaxBytes = 1: must be 1 KB or more");
        assertRefused(
                () -> new ConnectionLimitConfig(0, 0, 99, 16 << 10, 64 << 20),
                "Limit.HandshakeTime = 99: must be from 100 to 3600000");
        assertRefused(
                () -> new LogConfig(999, Path.of("logs"), "INFO", 4096, 1),
                "Stats.LogInterval = 999 ms: must be 0, or at least 1 s");
        assertRefused(
                () -> new LogConfig(0, Path.of("logs"), "LOUD", 4096, 1),
                "LogLevel = LOUD: must be TRACE, DEBUG, INFO, WARN or ERROR");
    }

    @Test
    void theMonitorsSecretsAreCompleteAndUnambiguous() {
        assertRefused(
                () -> monitor("eve", Optional.of("pass"), Optional.of(Path.of("file")), false, Optional.empty()),
                "MonitorPassword: conflicts with MonitorPasswordFile; set only one of them");
        assertRefused(
                () -> monitor("a:b", Optional.empty(), Optional.empty(), false, Optional.empty()),
                "MonitorUsername = a:b: must not contain a colon");
        assertRefused(
                () -> monitor("eve", Optional.empty(), Optional.empty(), true, Optional.empty()),
                "MonitorJMX.Encryption = true: needs KeyStore");
        assertRefused(
                () -> monitor("eve", Optional.empty(), Optional.empty(), false, Optional.of("word")),
                "KeyStorePassword: needs KeyStore");
    }

    @Test
    void theTextOfARecordContainsNoSecrets() {
        assertThat(ConfigLoader.load(
                                Optional.empty(),
                                Map.of(),
                                List.of(
                                        "EntitlementAllowToken=hush-hush",
                                        "Jwt.Secret=hush-hush-hush",
                                        "Custom.Password=hush"))
                        .entitlement()
                        .toString())
                .doesNotContain("hush")
                .contains("allowToken=(hidden)", "secret=(hidden)", "Password");
        assertThat(monitor("eve", Optional.of("hush-hush"), Optional.empty(), false, Optional.empty())
                        .toString())
                .doesNotContain("hush")
                .contains("password=(hidden)");
    }

    private static ListenConfig listen(List<ListenAddress> plain, List<ListenAddress> encrypted) {
        return new ListenConfig(plain, encrypted, ListenConfig.NativeIo.AUTO, List.of());
    }

    private static MonitorConfig monitor(
            String username,
            Optional<String> password,
            Optional<Path> passwordFile,
            boolean encryption,
            Optional<String> keyStorePassword) {
        return new MonitorConfig(
                new MonitorConfig.Endpoint(true, new ListenAddress("127.0.0.1", 3000), true, false),
                encryption,
                new MonitorConfig.Endpoint(true, new ListenAddress("127.0.0.1", 4000), true, false),
                username,
                password,
                passwordFile,
                Optional.empty(),
                keyStorePassword,
                TlsGroup.INTERMEDIATE,
                new ConsoleConfig(true, Optional.empty(), Optional.empty()));
    }

    private static void assertRefused(ThrowingCallable construction, String message) {
        assertThatExceptionOfType(InvalidSetting.class).isThrownBy(construction).withMessage(message);
    }
}
