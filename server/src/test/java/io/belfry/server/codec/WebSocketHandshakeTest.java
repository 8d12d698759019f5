package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.protocol.Subprotocols;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Base64;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WebSocketHandshakeTest {
    private static final String KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    private static final String VALID =
            "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                    + KEY + "\r\n";

    private final WebSocketHandshake handshake = new WebSocketHandshake(false);

    @Test
    void theExampleOfTheRfcIsAccepted() {
        ByteBuf out = Unpooled.buffer();

        HandshakeResult result = check(VALID);

        assertThat(result)
                .isEqualTo(
                        new HandshakeResult.Accepted(Subprotocols.JSON, false, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", null));
        WebSocketHandshake.writeAccept(out, (HandshakeResult.Accepted) result);
        assertThat(Bytes.latin1(out)).isEqualTo("""
                        HTTP/1.1 101 Switching Protocols\r
                        Upgrade: websocket\r
                        Connection: Upgrade\r
                        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
                        \r
                        """);
    }

    @Test
    void theDigestIsReusable() {
        assertThat(check(VALID)).isEqualTo(check(VALID));
    }

    @Test
    void theSubprotocolPreferredByTheClientIsChosen() {
        ByteBuf out = Unpooled.buffer();

        HandshakeResult.Accepted accepted = (HandshakeResult.Accepted) check(
                with("Sec-WebSocket-Protocol: other, belfry.binary.v1\r\nSec-WebSocket-Protocol: belfry.json.v1\r\n"));

        assertThat(accepted.subprotocol()).isEqualTo(Subprotocols.BINARY);
        WebSocketHandshake.writeAccept(out, accepted);
        assertThat(Bytes.latin1(out)).endsWith("\r\nSec-WebSocket-Protocol: belfry.binary.v1\r\n\r\n");
        assertThat(check(with("Sec-WebSocket-Protocol: belfry.json.v1,belfry.binary.v1\r\n")))
                .isInstanceOfSatisfying(
                        HandshakeResult.Accepted.class,
                        json -> assertThat(json.subprotocol()).isEqualTo(Subprotocols.JSON));
    }

    @Test
    void aListOfOnlyUnknownSubprotocolsIsRefused() {
        assertRefused(with("Sec-WebSocket-Protocol: mqtt\r\n"), Code.BAD_REQUEST);
        assertRefused(with("Sec-WebSocket-Protocol: BELFRY.JSON.V1\r\n"), Code.BAD_REQUEST);
        assertRefused(with("Sec-WebSocket-Protocol:\r\n"), Code.BAD_REQUEST);
    }

    @Test
    void offeredExtensionsAreIgnored() {
        ByteBuf out = Unpooled.buffer();

        HandshakeResult result =
                check(with("Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"));

        WebSocketHandshake.writeAccept(out, (HandshakeResult.Accepted) result);
        assertThat(Bytes.latin1(out)).doesNotContain("Extensions");
    }

    @Test
    void valuesAreComparedWithoutCase() {
        assertThat(check(VALID.replace("Upgrade: websocket", "UPGRADE: h2c, WebSocket")
                        .replace("Connection: Upgrade", "connection: keep-alive, upgrade")))
                .isInstanceOf(HandshakeResult.Accepted.class);
    }

    @Test
    void requestsThatAreNotHandshakesAreRefused() {
        assertRefused(VALID.replace("GET", "POST"), Code.METHOD_NOT_ALLOWED);
        assertRefused(VALID.replace("HTTP/1.1", "HTTP/1.0"), Code.BAD_REQUEST);
        assertRefused(VALID.replace("Upgrade: websocket\r\n", ""), Code.UPGRADE_REQUIRED);
        assertRefused(VALID.replace("Upgrade: websocket", "Upgrade: websockets"), Code.UPGRADE_REQUIRED);
        assertRefused(VALID.replace("Connection: Upgrade\r\n", ""), Code.BAD_REQUEST);
        assertRefused(VALID.replace("Connection: Upgrade", "Connection: keep-alive"), Code.BAD_REQUEST);
        assertRefused(VALID.replace("Version: 13", "Version: 8"), Code.UPGRADE_REQUIRED);
        assertRefused(VALID.replace("Version: 13", "Version: 13, 8"), Code.UPGRADE_REQUIRED);
        assertRefused(VALID.replace("Sec-WebSocket-Version: 13\r\n", ""), Code.UPGRADE_REQUIRED);
        assertRefused(with("Sec-WebSocket-Version: 13\r\n"), Code.UPGRADE_REQUIRED);
        assertRefused(with("Content-Length: 2\r\n"), Code.BAD_REQUEST);
        assertRefused(with("Transfer-Encoding: chunked\r\n"), Code.BAD_REQUEST);
    }

    @Test
    void keysThatDoNotEncodeSixteenBytesAreRefused() {
        assertRefused(VALID.replace(KEY, ""), Code.BAD_REQUEST);
        assertRefused(with(KEY), Code.BAD_REQUEST);
        for (String key : new String[] {
            "",
            "dGhlIHNhbXBsZSBub25jZQ=",
            "dGhlIHNhbXBsZSBub25jZQ",
            "dGhlIHNhbXBsZSBub25jZR==",
            "dGhlIHNhbXBsZSBub25jZQ==x",
            "dGhlIHNhbXBsZSBub25j",
            "dGhlIHNhbXBsZSBub25jZWFh",
            "dGhlIHNhbXBsZSBub25jZWE=",
            "dGhlIHNhbXBsZS-ub25jZQ==",
            "dGhlIHNhb=BsZSBub25jZQ==",
            "dGhlIHNhb BsZSBub25jZQ=="
        }) {
            assertRefused(VALID.replace(KEY, "Sec-WebSocket-Key: " + key + "\r\n"), Code.BAD_REQUEST);
        }
    }

    @Test
    void anySixteenBytesAreAcceptedAsAKey() {
        Random random = new Random(16);
        for (int round = 0; round < 1000; round++) {
            byte[] nonce = new byte[16];
            random.nextBytes(nonce);
            String key = "Sec-WebSocket-Key: " + Base64.getEncoder().encodeToString(nonce) + "\r\n";
            assertThat(check(VALID.replace(KEY, key))).isInstanceOf(HandshakeResult.Accepted.class);
        }
    }

    private void assertRefused(String request, Code code) {
        assertThat(check(request)).as(request).isInstanceOfSatisfying(Refusal.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(code);
            assertThat(refusal.status()).isEqualTo(code.httpStatus());
        });
    }

    private static String with(String fields) {
        return VALID.replace("\r\n\r\n", "\r\n" + fields + "\r\n");
    }

    private HandshakeResult check(String request) {
        ParseResult result = new HttpRequestParser().parse(Bytes.latin1(request));
        return handshake.check(((ParseResult.Head) result).request());
    }
}
