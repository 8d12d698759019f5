package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.LimitConfig;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();
    private static final long SECOND = 1_000_000_000;
    private static final long START = 1_000 * SECOND;

    @Test
    void theConnectionLimitAppliesPerAddress() throws Exception {
        Admission admission = new Admission(limits("Limit.ConnectionsPerAddress=2"));
        Admission.Origin first = admission.enter(HERE);
        admission.enter(InetAddress.getByAddress(HERE.getAddress()));

        Admission.Origin third = admission.enter(HERE);

        assertThat(third).isSameAs(first);
        assertThat(admission.refusal(third, START)).isEqualTo(Code.TOO_MANY_FROM_ADDRESS);
        assertThat(admission.refusal(admission.enter(InetAddress.getByName("127.9.9.9")), START))
                .isNull();
    }

    @Test
    void aClosedConnectionMakesRoom() {
        Admission admission = new Admission(limits("Limit.Connections=1"));
        Admission.Origin first = admission.enter(HERE);
        Admission.Origin second = admission.enter(HERE);
        assertThat(admission.refusal(second, START)).isEqualTo(Code.TOO_MANY_CONNECTIONS);
        admission.leave(second, false, START);

        assertThat(admission.refusal(first, START)).isNull();
        admission.leave(first, false, START);
        assertThat(admission.enter(HERE)).isNotSameAs(first);
    }

    @Test
    void aConnectionWithoutAnAddressCountsOnlyInTotal() {
        Admission admission = new Admission(limits("Limit.ConnectionsPerAddress=1", "Limit.UnknownPerAddress=1"));
        admission.enter(null);

        assertThat(admission.refusal(admission.enter(null), START)).isNull();
    }

    @Test
    void aKnownConnectionMakesRoomForUnknownOnes() {
        Admission admission = new Admission(limits("Limit.UnknownPerAddress=2"));
        Admission.Origin origin = admission.enter(HERE);
        admission.enter(HERE);
        admission.enter(HERE);
        assertThat(admission.refusal(origin, START)).isEqualTo(Code.TOO_MANY_UNKNOWN);

        admission.onKnown(origin);
        assertThat(admission.refusal(origin, START)).isNull();

        admission.leave(origin, true, START);
        admission.enter(HERE);
        assertThat(admission.refusal(origin, START)).isEqualTo(Code.TOO_MANY_UNKNOWN);
        admission.leave(origin, false, START);
        assertThat(admission.refusal(origin, START)).isNull();
    }

    @Test
    void reconnectingDoesNotResetTheRateOfAnAddress() {
        Admission admission = new Admission(limits("Limit.ConnectRatePerAddress=2"));
        assertThat(comeAndGo(admission, HERE, START)).isNull();
        assertThat(comeAndGo(admission, HERE, START)).isNull();
        assertThat(comeAndGo(admission, HERE, START)).isEqualTo(Code.ADDRESS_CONNECT_RATE);
        admission.forget(START);
        assertThat(comeAndGo(admission, HERE, START)).isEqualTo(Code.ADDRESS_CONNECT_RATE);

        assertThat(comeAndGo(admission, HERE, START + SECOND)).isNull();
    }

    @Test
    void anAddressWithoutConnectionsAndUsedRateIsForgotten() throws Exception {
        Admission admission = new Admission(limits("Limit.ConnectRatePerAddress=2"));
        for (int i = 0; i < 100; i++) {
            comeAndGo(admission, InetAddress.getByName("10.0.0." + i), START);
        }
        Admission.Origin stays = admission.enter(HERE);
        admission.refusal(stays, START);
        assertThat(admission.addresses()).isEqualTo(101);

        admission.forget(START + 3 * SECOND);
        assertThat(admission.addresses()).isEqualTo(1);

        admission.leave(stays, false, START + 3 * SECOND);
        assertThat(admission.addresses()).isZero();
    }

    @Test
    void theNumberOfRememberedAddressesIsLimited() throws Exception {
        Admission admission = new Admission(limits("Limit.ConnectRatePerAddress=2", "Limit.RememberedAddresses=5000"));
        byte[] address = InetAddress.getByName("10.0.0.0").getAddress();
        for (int i = 0; i < 6000; i++) {
            address[1] = (byte) (i >>> 16);
            address[2] = (byte) (i >>> 8);
            address[3] = (byte) i;
            comeAndGo(admission, InetAddress.getByAddress(address), START);
        }
        assertThat(admission.addresses()).isEqualTo(5000);
        assertThat(admission.takeForgottenEarly()).isEqualTo(1000);
        assertThat(admission.takeForgottenEarly()).isZero();
        admission.forget(START + 3 * SECOND);
        assertThat(admission.addresses()).isZero();
    }

    @Test
    void addressesOfOneIpv6NetworkCountAsOne() throws Exception {
        assertThat(key("2001:db8:1:2::1")).isEqualTo(key("2001:db8:1:2:ffff:ffff:ffff:ffff"));
        assertThat(key("2001:db8:1:2::1")).isNotEqualTo(key("2001:db8:1:3::1"));
        assertThat(key("10.0.0.1")).isNotEqualTo(key("10.0.0.2"));
        assertThat(key("0.0.0.0")).isNotEqualTo(key("::1"));
        assertThat(key("::ffff:10.0.0.1")).isEqualTo(key("10.0.0.1"));
    }

    @Test
    void failedTokensDelayFurtherTokensOfTheAddress() {
        Admission.Origin origin = new Admission(limits()).enter(HERE);
        for (int i = 0; i < 3; i++) {
            assertThat(origin.tokenWaitMillis("guess", 3, START)).isZero();
            origin.onTokenFailed(3, START);
        }
        assertThat(origin.tokenWaitMillis("guess", 3, START)).isEqualTo(20_000);
        assertThat(origin.tokenWaitMillis("guess", 0, START)).isZero();
        assertThat(origin.tokenWaitMillis("guess", 3, START + 20 * SECOND)).isZero();
    }

    @Test
    void failedTokensDoNotDelayAcceptedTokensOfTheAddress() {
        Admission.Origin origin = new Admission(limits()).enter(HERE);
        origin.onTokenAccepted("forgotten");
        for (int i = 0; i < 8; i++) {
            origin.onTokenAccepted("right" + i);
            origin.onTokenAccepted("right0");
        }
        origin.onTokenFailed(1, START);
        for (int i = 0; i < 8; i++) {
            assertThat(origin.tokenWaitMillis("right" + i, 1, START)).isZero();
        }
        assertThat(origin.tokenWaitMillis("wrong", 1, START)).isPositive();
        assertThat(origin.tokenWaitMillis("forgotten", 1, START)).isPositive();
    }

    private static @Nullable Code comeAndGo(Admission admission, InetAddress address, long now) {
        Admission.Origin origin = admission.enter(address);
        Code refusal = admission.refusal(origin, now);
        admission.leave(origin, false, now);
        return refusal;
    }

    private static AddressKey key(String address) throws UnknownHostException {
        return AddressKey.of(InetAddress.getByName(address));
    }

    private static LimitConfig limits(String... settings) {
        return ConfigLoader.load(Optional.empty(), Map.of(), List.of(settings)).limits();
    }
}
