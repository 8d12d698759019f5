package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.Code;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.LimitConfig;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AdmissionTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    @Test
    void anAddressIsHeldToItsLimitAndAnotherIsNot() throws Exception {
        Admission admission = new Admission(limits("Limit.ConnectionsPerAddress", "2"));
        Admission.Origin first = admission.enter(HERE);
        admission.enter(InetAddress.getByAddress(HERE.getAddress()));

        Admission.Origin third = admission.enter(HERE);

        assertThat(third).isSameAs(first);
        assertThat(admission.refusal(third)).isEqualTo(Code.TOO_MANY_FROM_ADDRESS);
        assertThat(admission.refusal(admission.enter(InetAddress.getByName("127.9.9.9"))))
                .isNull();
    }

    @Test
    void whoLeavesMakesRoom() {
        Admission admission = new Admission(limits("Limit.Connections", "1"));
        Admission.Origin first = admission.enter(HERE);
        Admission.Origin second = admission.enter(HERE);
        assertThat(admission.refusal(second)).isEqualTo(Code.TOO_MANY_CONNECTIONS);
        admission.leave(second);

        assertThat(admission.refusal(first)).isNull();
        admission.leave(first);
        assertThat(admission.enter(HERE)).isNotSameAs(first);
    }

    @Test
    void aConnectionWithoutAnAddressCountsInAllOnly() {
        Admission admission = new Admission(limits("Limit.ConnectionsPerAddress", "1"));
        admission.enter(null);

        assertThat(admission.refusal(admission.enter(null))).isNull();
    }

    private static LimitConfig limits(String key, String value) {
        return ConfigLoader.load(Optional.empty(), Map.of(), List.of(key + "=" + value))
                .limits();
    }
}
