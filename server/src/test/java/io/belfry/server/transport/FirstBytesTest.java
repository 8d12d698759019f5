package io.belfry.server.transport;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.belfry.protocol.WireFormat;
import io.netty.buffer.ByteBuf;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests what a protocol that first bytes select may require, and that it changes nothing for HTTP. */
class FirstBytesTest {
    private static final byte[] PROXIED = HexFormat.of()
            .parseHex(
                    "0d0a0d0a000d0a515549540a" // the signature
                            + "2111000c" // version 2, IPv4, 12 bytes
                            + "cb007107" + "7f000001" + "1f901f90");

    /** Needs more bytes, however many there are. */
    private record Undecided(String name, List<WireFormat> formats) implements ClientProtocol {
        Undecided(WireFormat... formats) {
            this("undecided", List.of(formats));
        }

        @Override
        public boolean hasFirstBytes() {
            return true;
        }

        @Override
        public Match begins(ByteBuf first) {
            return Match.MORE;
        }
    }

    private static String read(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), ISO_8859_1).replaceFirst("Date: [^\r]*\r\n", "");
    }

    @Test
    void aRefusalBeforeTheFirstBytesIsThatOfHttp() throws IOException {
        String expected = refusal(List.of());
        assertThat(expected).startsWith("HTTP/1.1 429 ").contains("too-many-from-address");
        assertThat(refusal(List.of(new Undecided()))).isEqualTo(expected);
    }

    /** Returns the answer to the second connection of an address that may have one, behind a proxy. */
    private static String refusal(List<ClientProtocol> added) throws IOException {
        try (ProtocolServer server = new ProtocolServer(
                        added, "TrustedProxies=127.0.0.1", "ProxyProtocol=true", "Limit.ConnectionsPerAddress=1");
                Socket first = server.connect();
                Socket second = server.connect()) {
            // The answer shows that the first connection is counted.
            first.getOutputStream().write(proxied(request(2000)));
            assertThat(first.getInputStream().read()).isEqualTo('H');
            second.getOutputStream().write(PROXIED);
            return read(second);
        }
    }

    @Test
    void aTimeoutBeforeTheFirstBytesIsThatOfHttp() throws IOException {
        String expected = timeout(List.of());
        assertThat(expected).startsWith("HTTP/1.1 408 ").contains("handshake-timeout");
        assertThat(timeout(List.of(new Undecided()))).isEqualTo(expected);
    }

    private static String timeout(List<ClientProtocol> added) throws IOException {
        try (ProtocolServer server = new ProtocolServer(added, "Limit.HandshakeTime=100ms");
                Socket silent = server.connect()) {
            return read(silent);
        }
    }

    @Test
    void aKilobyteThatSelectsNothingIsHttp() throws IOException {
        try (ProtocolServer server = new ProtocolServer(List.of(new Undecided()), "Limit.HandshakeTime=300ms")) {
            assertThat(answer(server, request(1024))).startsWith("HTTP/1.1 408 ");
            assertThat(answer(server, request(1025))).startsWith("HTTP/1.1 200 ");
        }
    }

    private static String answer(ProtocolServer server, byte[] request) throws IOException {
        try (Socket socket = server.connect()) {
            socket.getOutputStream().write(request);
            return read(socket);
        }
    }

    /** Returns a request of this length, which is the last one of its connection. */
    private static byte[] request(int bytes) {
        String start = "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: ";
        String end = "\r\n\r\n";
        return (start + "x".repeat(bytes - start.length() - end.length()) + end).getBytes(ISO_8859_1);
    }

    private static byte[] proxied(byte[] request) throws IOException {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.write(PROXIED);
        both.write(request);
        return both.toByteArray();
    }

    @Test
    void twoFormatsWithTheSameIdAreRefused() {
        ClientProtocol same = new Undecided(new LineFormat(40, false), new LineFormat(40, true));
        assertThatThrownBy(() -> ProtocolServer.protocolsOf(List.of(same)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("wire format lines-websocket of undecided has the id 40, like lines-tcp;"
                        + " each format needs its own id");
    }

    @Test
    void aFormatIdIsFromZeroTo63() {
        ProtocolServer.protocolsOf(List.of(new Undecided(new LineFormat(0, false), new LineFormat(63, false))));
        for (int id : new int[] {-1, 64}) {
            ClientProtocol outside = new Undecided(new LineFormat(id, false));
            assertThatThrownBy(() -> ProtocolServer.protocolsOf(List.of(outside)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("wire format lines-tcp of undecided has the id " + id + "; ids are from 0 to 63");
        }
    }
}
