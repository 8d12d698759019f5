package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HexFormat;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests clients that connect through proxies on this machine, trusted or untrusted ones. */
final class ProxiesTest {
    private static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");
    private static final String ELSEWHERE = "203.0.113.7";

    private @Nullable TestServer server;

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    private TestServer server() {
        return java.util.Objects.requireNonNull(server);
    }

    private void start(String... settings) {
        server = TestServer.start(settings);
    }

    /** Returns whether the server treats this client as local: only local clients may publish without a token. */
    private static boolean isLocal(Http http, String... headers) {
        Http.Answer answer = http.post("/publish?subject=/proxied", "x", headers);
        assertThat(answer.status()).isIn(200, 403);
        return answer.status() == 200;
    }

    private boolean isLocal(String... headers) {
        try (Http http = Http.to(server().port())) {
            return isLocal(http, headers);
        }
    }

    @Test
    void headersOfUntrustedProxiesAreIgnored() {
        start("TrustedProxies=10.0.0.0/8", "Limit.ConnectionsPerAddress=1");
        assertThat(isLocal("X-Forwarded-For: " + ELSEWHERE)).isTrue();
    }

    @Test
    void aTrustedProxyPassesOnTheAddressOfItsClient() {
        start("TrustedProxies=127.0.0.0/8");
        assertThat(isLocal()).isFalse();
        assertThat(isLocal("X-Forwarded-For: " + ELSEWHERE)).isFalse();
        assertThat(isLocal("X-Forwarded-For: ::1, " + ELSEWHERE)).isFalse();
        assertThat(isLocal("X-Forwarded-For: ::1", "X-Forwarded-For: " + ELSEWHERE + ", 127.0.0.9"))
                .isFalse();
        assertThat(isLocal("X-Forwarded-For: ::1")).isTrue();
        try (Http kept = Http.to(server().port())) {
            assertThat(isLocal(kept, "X-Forwarded-For: ::1")).isTrue();
            assertThat(isLocal(kept, "X-Forwarded-For: " + ELSEWHERE)).isFalse();
        }
    }

    @Test
    void aWebSocketHasTheAddressOfItsClient() {
        start("TrustedProxies=127.0.0.1");
        try (TestClient client = TestClient.open(server(), WireEncoding.JSON, "X-Forwarded-For: " + ELSEWHERE)) {
            client.send("/proxied", "x");
            assertThat(client.expect(Event.Failed.class).code()).isEqualTo("publish-denied");
        }
    }

    @Test
    void limitsApplyToTheClientAndNotToItsProxy() {
        start("TrustedProxies=127.0.0.1", "Limit.ConnectionsPerAddress=1");
        try (Http first = Http.to(server().port());
                Http second = Http.to(server().port());
                Http third = Http.to(server().port())) {
            assertThat(first.get("/history?subject=/a", "X-Forwarded-For: " + ELSEWHERE)
                            .status())
                    .isEqualTo(200);
            assertThat(second.get("/history?subject=/a", "X-Forwarded-For: 203.0.113.8")
                            .status())
                    .isEqualTo(200);
            Http.Answer over = third.get("/history?subject=/a", "X-Forwarded-For: " + ELSEWHERE);
            assertThat(over.status()).isEqualTo(429);
            assertThat(over.code()).isEqualTo("too-many-from-address");
        }
        // A closed connection is subtracted from the client for which it was counted.
        Await.until("the connection limits have room", () -> {
            try (Http again = Http.to(server().port())) {
                return again.get("/history?subject=/a", "X-Forwarded-For: " + ELSEWHERE)
                                .status()
                        == 200;
            }
        });
    }

    @Test
    void aPageHasTheSchemeThatTheProxyReports() {
        start("TrustedProxies=127.0.0.1");
        String page = "Origin: https://localhost";
        try (Http http = Http.to(server().port())) {
            assertThat(http.get("/history?subject=/a", page, "X-Forwarded-Proto: https")
                            .status())
                    .isEqualTo(200);
            assertThat(http.get("/history?subject=/a", page).status()).isEqualTo(403);
        }
    }

    // ---- PROXY protocol ----

    /**
     * Returns a header for a client of this address, followed by an extension; null stands for a connection of the
     * proxy itself.
     */
    private static byte[] header(@Nullable String client) {
        byte[] address =
                client == null ? new byte[0] : InetAddress.ofLiteral(client).getAddress();
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        header.writeBytes(SIGNATURE);
        header.write(client == null ? 0x20 : 0x21);
        header.write(client == null ? 0 : address.length == 4 ? 0x11 : 0x21);
        header.write(0);
        header.write(client == null ? 0 : 2 * address.length + 4 + 4);
        if (client != null) {
            header.writeBytes(address);
            header.writeBytes(address);
            header.writeBytes(new byte[] {1, 1, 2, 2});
            header.writeBytes(new byte[] {4, 0, 1, 0});
        }
        return header.toByteArray();
    }

    private RawConnection connect(byte[] header) {
        return RawConnection.to(server().port()).send(header);
    }

    @Test
    void aProxyHeaderNamesTheClientOfAConnection() {
        start("TrustedProxies=127.0.0.1", "ProxyProtocol=true", "Limit.ConnectionsPerAddress=1");
        try (Http first = new Http(connect(header(ELSEWHERE)));
                Http local = new Http(connect(header("::1")));
                Http itself = new Http(connect(header(null)))) {
            assertThat(isLocal(first, "X-Forwarded-For: ::1")).isFalse();
            assertThat(isLocal(local)).isTrue();
            assertThat(isLocal(itself)).isFalse();
            // The connections open one after the other, because lanes read their headers in any order.
            try (Http second = new Http(connect(header(ELSEWHERE)))) {
                assertThat(second.answer().code()).isEqualTo("too-many-from-address");
            }
        }
    }

    @Test
    void aProxyHeaderMayArriveInPartsOrWithTheRequest() throws Exception {
        start("TrustedProxies=127.0.0.1", "ProxyProtocol=true");
        byte[] header = header(ELSEWHERE);
        try (RawConnection slow = RawConnection.to(server().port())) {
            for (byte each : header) {
                slow.send(new byte[] {each});
                Thread.sleep(2);
            }
            assertThat(new Http(slow).get("/health/live").status()).isEqualTo(200);
        }
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(header);
        both.writeBytes(Http.text("GET", "/health/live", "").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        try (Http http = new Http(connect(both.toByteArray()))) {
            assertThat(http.answer().status()).isEqualTo(200);
        }
    }

    @Test
    void aConnectionWithoutAValidProxyHeaderIsClosed() {
        start("TrustedProxies=127.0.0.1", "ProxyProtocol=true");
        for (String other :
                new String[] {"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n", "PROXY TCP4 203.0.113.7 127.0.0.1 1 2\r\n"
                }) {
            try (RawConnection connection = RawConnection.to(server().port())) {
                assertThat(connection.send(other).isEnded()).as(other).isTrue();
            }
        }
    }

    @Test
    void anIncompleteProxyHeaderTimesOut() {
        start("TrustedProxies=127.0.0.1", "ProxyProtocol=true", "Limit.HandshakeTime=300 ms");
        try (RawConnection half = connect(SIGNATURE)) {
            assertThat(half.isEnded()).isTrue();
        }
    }

    @Test
    void tlsMayFollowAProxyHeader() throws Exception {
        SelfSigned certificate = SelfSigned.make();
        start(certificate.settings("TrustedProxies=127.0.0.1", "ProxyProtocol=true"));
        Socket plain = new Socket(InetAddress.getLoopbackAddress(), server().encryptedPort());
        plain.setTcpNoDelay(false);
        SSLSocket socket = (SSLSocket) SelfSigned.client(null, certificate)
                .getSocketFactory()
                .createSocket(new Prefixed(plain, header(ELSEWHERE)), "127.0.0.1", server().encryptedPort(), true);
        try (Http http = new Http(RawConnection.over(socket))) {
            assertThat(isLocal(http)).isFalse();
            assertThat(http.get("/health/live").status()).isEqualTo(200);
        }
    }

    /** A socket that sends a prefix together with the first bytes written to it. */
    private static final class Prefixed extends Socket {
        private final Socket socket;
        private byte[] prefix;

        private Prefixed(Socket socket, byte[] prefix) {
            this.socket = socket;
            this.prefix = prefix;
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return socket.getInputStream();
        }

        @Override
        public void setSoTimeout(int millis) {
            try {
                socket.setSoTimeout(millis);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void setTcpNoDelay(boolean on) {}

        @Override
        public OutputStream getOutputStream() throws IOException {
            OutputStream out = socket.getOutputStream();
            return new OutputStream() {
                @Override
                public void write(int one) throws IOException {
                    write(new byte[] {(byte) one}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    ByteArrayOutputStream all = new ByteArrayOutputStream();
                    all.writeBytes(prefix);
                    all.write(bytes, offset, length);
                    prefix = new byte[0];
                    out.write(all.toByteArray());
                }
            };
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
