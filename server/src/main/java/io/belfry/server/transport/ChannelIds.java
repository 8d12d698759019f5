package io.belfry.server.transport;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Gives Netty's channel ids a random machine id. Without it Netty searches for a hardware address, and logs a warning
 * on hosts without one, such as containers without a network. The ids appear only in logs. Any thread.
 */
final class ChannelIds {
    private static final String MACHINE_ID = "io.netty.machineId";
    private static final int MACHINE_ID_BYTES = 8;

    private ChannelIds() {}

    /** Sets the machine id; must run before the first channel of the process. An id set by the operator is kept. */
    static synchronized void prepare() {
        if (System.getProperty(MACHINE_ID) == null) {
            byte[] random = new byte[MACHINE_ID_BYTES];
            new SecureRandom().nextBytes(random);
            System.setProperty(MACHINE_ID, HexFormat.ofDelimiter(":").formatHex(random));
        }
    }
}
