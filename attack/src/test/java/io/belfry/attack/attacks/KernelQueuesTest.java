package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelQueuesTest {
    private static final List<String> TABLE = List.of(
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
            "   0: 00000000:1F90 00000000:0000 0A 00000000:00000005 00:00000000 00000000     0        0 1520 1 0",
            "   1: 1E00007F:A2C4 0100007F:1F90 01 00000010:00000007 00:00000000 00000000     0        0 1521 1 0",
            "   2: 1F00007F:A2C4 0100007F:1F90 01 00000900:00000000 00:00000000 00000000     0        0 1522 1 0",
            "   3: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00001E00007F:A2C4 01 00000003:00A00000"
                    + " 00:00000000 00000000     0        0 1523 1 0");

    private static String name(int last, int port) throws UnknownHostException {
        return KernelQueues.name(
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) last}), port));
    }

    @Test
    void bytesInTransitAreUnsentAndUnreadBytes() throws UnknownHostException {
        assertThat(KernelQueues.heldBetween(name(30, 0xA2C4), name(1, 0x1F90), TABLE))
                .isEqualTo(0x10 + 0xA00000);
    }

    @Test
    void eachDirectionIsCountedAlone() throws UnknownHostException {
        assertThat(KernelQueues.heldBetween(name(1, 0x1F90), name(30, 0xA2C4), TABLE))
                .isEqualTo(3 + 7);
    }
}
