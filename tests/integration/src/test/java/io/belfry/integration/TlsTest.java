package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.belfry.testsupport.RequiredPrograms;
import io.belfry.testsupport.TestScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the TLS port with clients of the JDK and of OpenSSL, and with either TLS provider in the server. */
final class TlsTest {
    private static final int LARGE = 60_000;
    private static final String GET = Http.text("GET", "/health/live", "", "Connection: close");

    private static SelfSigned certificate;
    private static SelfSigned other;

    /** Servers by provider, for tests without special settings. */
    private static final Map<String, TestServer> SHARED = new HashMap<>();

    private @Nullable TestServer server;
    private @Nullable TestServer own;

    @BeforeAll
    static void makeCertificates() {
        certificate = SelfSigned.make();
        other = SelfSigned.make("CN=client,O=Belfry", "-keyalg", "RSA");
    }

    @AfterEach
    void stop() {
        if (own != null) {
            own.close();
        }
    }

    @AfterAll
    static void stopShared() {
        SHARED.values().forEach(TestServer::close);
        SHARED.clear();
    }

    private TestServer server() {
        return java.util.Objects.requireNonNull(server);
    }

    private void start(String... more) {
        own = TestServer.start(certificate.settings(more));
        server = own;
    }

    private void use(String provider) {
        server = SHARED.computeIfAbsent(
                provider,
                each -> TestServer.start(certificate.settings(
                        "Tls.Provider=" + each,
                        "X.Echo=true",
                        "SlowConsumer.MaxBytes=100 MB",
                        "Limit.PublishRate=0",
                        "Limit.HandshakeTime=1 m")));
    }

    private RawConnection connect(SSLContext context) {
        return RawConnection.encrypted(context, server().encryptedPort());
    }

    private RawConnection connect() {
        return connect(SelfSigned.client(null, certificate));
    }

    // ---- data transfer ----

    static Stream<String> providers() {
        return TestScope.variants(List.of("openssl", "jdk"));
    }

    @ParameterizedTest
    @MethodSource("providers")
    void aSlowReaderGetsEverythingInOrder(String provider) {
        use(provider);
        try (TestClient stalled = TestClient.over(connect(), WireEncoding.BINARY);
                TestClient publisher = TestClient.over(connect(), WireEncoding.BINARY)) {
            stalled.subscribe("/tls/large");
            List<String> sent = IntStream.range(0, 300)
                    .mapToObj(i -> i + "x".repeat(LARGE - i))
                    .toList();
            sent.forEach(each -> publisher.publish("/tls/large", each));
            assertThat(stalled.data(sent.size())).isEqualTo(sent);
        }
    }

    /** One write may be less than a record, several records, or one of many consecutive writes. */
    @ParameterizedTest
    @ValueSource(strings = {"openssl", "jdk"})
    void bodiesOfEverySizeAreEchoedUnchanged(String provider) {
        use(provider);
        try (Http http = new Http(connect())) {
            for (int length : new int[] {1, 100, 16_384, 16_385, 100_000, 1_000_000}) {
                String body = "y".repeat(length);
                assertThat(http.post("/echo", body).body()).isEqualTo(body);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"openssl,TLSv1.3", "openssl,TLSv1.2", "jdk,TLSv1.3", "jdk,TLSv1.2"})
    void aReturningClientResumesItsTlsSession(String provider, String version) throws IOException {
        use(provider);
        SSLContext client = SelfSigned.client(null, certificate);
        Set<Long> created = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            SSLSocket socket =
                    (SSLSocket) client.getSocketFactory().createSocket("127.0.0.1", server().encryptedPort());
            socket.setEnabledProtocols(new String[] {version});
            try (RawConnection connection = RawConnection.over(socket)) {
                assertThat(new Http(connection).get("/health/live").status()).isEqualTo(200);
                SSLSession session = socket.getSession();
                assertThat(session.getProtocol()).isEqualTo(version);
                created.add(session.getCreationTime());
            }
        }
        assertThat(created).as("TLS sessions created").hasSize(1);
    }

    @Test
    void onlyAPageOfTheEncryptedPortIsOfItsOrigin() {
        use("openssl");
        try (Http http = new Http(connect())) {
            assertThat(http.get("/history?subject=/a", "Origin: https://localhost")
                            .status())
                    .isEqualTo(200);
            assertThat(http.get("/history?subject=/a", "Origin: http://localhost")
                            .code())
                    .isEqualTo("origin-denied");
        }
    }

    @Test
    void aKeyStoreWithAnRsaKeyIsAccepted() {
        own = TestServer.start(
                "ListenEncrypted=127.0.0.1:0", "KeyStore=" + other.store(), "KeyStorePassword=" + SelfSigned.PASSWORD);
        server = own;
        try (Http http = new Http(connect(SelfSigned.client(null, other)))) {
            assertThat(http.get("/health/live").status()).isEqualTo(200);
        }
        assertThat(server().logText()).doesNotContain(SelfSigned.PASSWORD);
    }

    // ---- client certificates ----

    @ParameterizedTest
    @ValueSource(strings = {"openssl", "jdk"})
    void aRequiredClientCertificateMustBeTrusted(String provider) {
        start(
                "Tls.Provider=" + provider,
                "Tls.ClientCertificates=need",
                "Tls.ClientAuthorities=" + other.certificate());
        try (Http http = new Http(connect(SelfSigned.client(other, certificate)))) {
            assertThat(http.get("/health/live").status()).isEqualTo(200);
        }
        assertRefused(SelfSigned.client(null, certificate));
        assertRefused(SelfSigned.client(SelfSigned.make("CN=stranger", "-keyalg", "EC"), certificate));
    }

    private void assertRefused(SSLContext client) {
        try (Http http = new Http(connect(client))) {
            // With TLS 1.3 the client receives the refusal with the first answer for which it waits.
            assertThatExceptionOfType(UncheckedIOException.class)
                    .isThrownBy(() -> http.get("/health/live"))
                    .withCauseInstanceOf(IOException.class);
        }
    }

    @Test
    void anOptionalClientCertificateMayBeMissing() {
        start("Tls.ClientCertificates=want", "Tls.ClientAuthorities=" + other.certificate());
        for (SSLContext client : List.of(SelfSigned.client(other, certificate), SelfSigned.client(null, certificate))) {
            try (Http http = new Http(connect(client))) {
                assertThat(http.get("/health/live").status()).isEqualTo(200);
            }
        }
    }

    // ---- refused connections ----

    @Test
    void anIncompleteClientHelloTimesOut() {
        start("Limit.HandshakeTime=300 ms");
        try (RawConnection silent = RawConnection.to(server().encryptedPort());
                RawConnection half = RawConnection.to(server().encryptedPort())) {
            half.send(new byte[] {22, 3, 1, 2, 0, 1, 0, 1, (byte) 0xfc, 3, 3});
            assertThat(half.isEnded()).isTrue();
            assertThat(silent.isEnded()).isTrue();
        }
    }

    @Test
    void aTooLargeClientHelloIsRefusedAtOnce() {
        use("openssl");
        try (RawConnection large = RawConnection.to(server().encryptedPort())) {
            large.send(new byte[] {22, 3, 1, 64, 0, 1, 1, 0, 0, 3, 3});
            assertThat(large.isEnded()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"openssl", "jdk"})
    void plainInputOnTheTlsPortIsRefusedWithoutAnError(String provider) {
        use(provider);
        for (byte[] nonsense : List.of(GET.getBytes(java.nio.charset.StandardCharsets.US_ASCII), new byte[600])) {
            try (RawConnection connection = RawConnection.to(server().encryptedPort())) {
                // An alert may be sent first; only the end of the connection matters.
                connection.send(nonsense).rest();
            }
        }
    }

    @Test
    void aConnectionOverALimitGetsNoTlsHandshake() {
        start("Limit.ConnectionsPerAddress=1");
        try (Http first = new Http(connect())) {
            assertThat(first.get("/health/live").status()).isEqualTo(200);
            try (RawConnection second = RawConnection.to(server().encryptedPort())) {
                assertThat(second.isEnded()).isTrue();
            }
            assertThat(first.get("/health/live").status()).isEqualTo(200);
        }
    }

    @Test
    void unusableCertificatesAreReportedAtTheStart() {
        for (String[] wrong : new String[][] {
            {"CertificateKey=" + other.key(), "cannot be read as the EC key of the certificate"},
            {"CertificateKey=" + other.certificate(), "holds no private key"},
            {"Certificate=" + other.key(), "holds no certificate"},
            {"Certificate=/nowhere", "cannot be read"},
        }) {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> TestServer.start(certificate.settings(wrong[0])))
                    .withMessageContaining(wrong[1]);
        }
    }

    // ---- the client of OpenSSL ----

    /** Returns the output of the client when {@code input}, a shell command, produces the bytes to send. */
    private String sClient(String input, String... options) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "(" + input + ") | timeout 20 \"$@\" 2>&1", "sh"));
        command.addAll(List.of(
                RequiredPrograms.require("Debian: apt install openssl", "openssl"),
                "s_client",
                "-connect",
                "127.0.0.1:" + server().encryptedPort(),
                "-CAfile",
                certificate.certificate().toString()));
        command.addAll(List.of(options));
        return Tool.run(command.toArray(String[]::new)).output();
    }

    private String sClientGets(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-ign_eof");
        return sClient("printf '" + GET.replace("\r\n", "\\r\\n") + "'", all.toArray(String[]::new));
    }

    @Tag("complete")
    @ParameterizedTest
    @ValueSource(strings = {"openssl", "jdk"})
    void opensslGetsHttp11AndACloseNotify(String provider) {
        use(provider);
        assertThat(sClientGets("-alpn", "h2,http/1.1", "-verify_return_error"))
                .contains("ALPN protocol: http/1.1")
                .contains("Verify return code: 0 (ok)")
                .contains("HTTP/1.1 200")
                .contains("closed")
                .doesNotContain("unexpected eof");
        assertThat(sClientGets("-tls1_2", "-cipher", "ECDHE+AESGCM")).contains("HTTP/1.1 200");
    }

    @Tag("complete")
    @ParameterizedTest
    @ValueSource(strings = {"openssl", "jdk"})
    void oldVersionsAndWeakCiphersAreRefused(String provider) {
        use(provider);
        for (String[] old : new String[][] {
            {"-tls1", "-cipher", "ALL:@SECLEVEL=0"},
            {"-tls1_1", "-cipher", "ALL:@SECLEVEL=0"},
            {"-tls1_2", "-cipher", "AES128-SHA:AES128-GCM-SHA256"},
            {"-tls1_2", "-cipher", "ECDHE+AES+SHA1:ECDHE+AES+SHA256:ECDHE+AES+SHA384"},
        }) {
            assertThat(sClientGets(old)).contains("Cipher is (NONE)").doesNotContain("HTTP/1.1");
        }
    }

    @Tag("complete")
    @ParameterizedTest
    @ValueSource(strings = {"openssl", "jdk"})
    void renegotiationIsRefused(String provider) {
        // A process of its own: the JDK reads its setting once, and in this process another test may have used its TLS
        // before.
        own = ServerProcess.startWatched(certificate.settings("Tls.Provider=" + provider));
        server = own;
        assertThat(sClient("sleep 1; echo R; sleep 2", "-tls1_2", "-legacy_renegotiation"))
                .contains("RENEGOTIATING")
                .containsAnyOf("alert", "no renegotiation", "unexpected eof", "closed");
    }
}
