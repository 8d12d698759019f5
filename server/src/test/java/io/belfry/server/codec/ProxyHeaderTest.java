package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class ProxyHeaderTest {
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final String V4 = SIGNATURE + "2111000c" + "cb007107" + "c0000201" + "d43101bb";
    private static final String V6 = SIGNATURE + "21210024" + "20010db8000000000000000000000007"
            + "20010db8000000000000000000000001" + "d43101bb";

    private static ByteBuf bytes(String hex) {
        return Unpooled.wrappedBuffer(HexFormat.of().parseHex(hex));
    }

    private static void assertClient(String hex, String client) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes(hex), Unpooled.copiedBuffer("GET", StandardCharsets.US_ASCII));
        assertThat(ProxyHeader.read(in)).isEqualTo(new ProxyHeader.Result.Whole(InetAddress.ofLiteral(client)));
        assertThat(in.toString(StandardCharsets.US_ASCII)).isEqualTo("GET");
    }

    private static void assertMalformed(String hex) {
        assertThat(ProxyHeader.read(bytes(hex))).isInstanceOf(ProxyHeader.Result.Malformed.class);
    }

    @Test
    void clientsOfBothFamiliesAreReadAndTheirBytesLeftUnread() {
        assertClient(V4, "203.0.113.7");
        assertClient(V6, "2001:db8::7");
    }

    @Test
    void extensionsAreSkipped() {
        assertClient(V4.replace("2111000c", "21110011") + "0400020000", "203.0.113.7");
    }

    @Test
    void aConnectionOfTheProxyItselfHasNoClient() {
        assertThat(ProxyHeader.read(bytes(SIGNATURE + "20000000"))).isEqualTo(new ProxyHeader.Result.Whole(null));
        assertThat(ProxyHeader.read(bytes(V4.replace("2111", "2011")))).isEqualTo(new ProxyHeader.Result.Whole(null));
    }

    @Test
    void aTruncatedHeaderNeedsMoreAndIsLeftUnread() {
        for (String whole : new String[] {V4, V6}) {
            for (int length = 0; length < whole.length(); length += 2) {
                ByteBuf in = bytes(whole.substring(0, length));
                assertThat(ProxyHeader.read(in)).isInstanceOf(ProxyHeader.Result.NeedMore.class);
                assertThat(in.readableBytes()).isEqualTo(length / 2);
            }
        }
    }

    @Test
    void otherProtocolsAndVersionsAreMalformedAtOnce() {
        assertMalformed("47"); // GET
        assertMalformed("50524f5859"); // PROXY, the beginning of version 1
        assertMalformed("160301"); // TLS
        assertMalformed(V4.replace("2111000c", "1111000c"));
        assertMalformed(V4.replace("2111000c", "2211000c"));
    }

    @Test
    void otherFamiliesAndWrongLengthsAreMalformed() {
        assertMalformed(V4.replace("2111000c", "2112000c"));
        assertMalformed(V4.replace("2111000c", "2131000c"));
        assertMalformed(V4.replace("2111000c", "2100000c"));
        assertMalformed(V4.replace("2111000c", "2121000c"));
        assertMalformed(SIGNATURE + "2111000bcb007107c0000201d43101");
        assertMalformed(SIGNATURE + "2111ffff");
    }
}
