package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ForwardedForTest {
    private static final Set<InetAddress> PROXIES =
            Set.of(InetAddress.ofLiteral("10.0.0.1"), InetAddress.ofLiteral("10.0.0.2"));

    private static @Nullable String client(@Nullable String list) {
        InetAddress client = ForwardedFor.client(list, PROXIES::contains);
        return client == null ? null : client.getHostAddress();
    }

    @Test
    void theLastAddressThatIsNotAProxyIsTheClient() {
        assertThat(client("203.0.113.7")).isEqualTo("203.0.113.7");
        assertThat(client("203.0.113.7, 10.0.0.2,10.0.0.1")).isEqualTo("203.0.113.7");
        assertThat(client("2001:db8::7")).isEqualTo("2001:db8:0:0:0:0:0:7");
    }

    @Test
    void addressesWrittenByTheClientAreIgnored() {
        assertThat(client("127.0.0.1, 203.0.113.7, 10.0.0.1")).isEqualTo("203.0.113.7");
        assertThat(client("127.0.0.1, 203.0.113.7")).isEqualTo("203.0.113.7");
    }

    @Test
    void anAddressMayHaveAPort() {
        assertThat(client("203.0.113.7:4711")).isEqualTo("203.0.113.7");
        assertThat(client("[2001:db8::7]:4711")).isEqualTo("2001:db8:0:0:0:0:0:7");
        assertThat(client("[2001:db8::7]")).isEqualTo("2001:db8:0:0:0:0:0:7");
    }

    @Test
    void anInvalidAddressHasNoClient() {
        for (String nobody :
                new String[] {"unknown", "", ",", "10.0.0.1", "127.0.0.1, unknown, 10.0.0.1", "[::1", "a:b", "::1%x y"
                }) {
            assertThat(client(nobody)).as(nobody).isNull();
        }
        assertThat(client(null)).isNull();
    }
}
