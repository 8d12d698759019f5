package io.belfry.server.monitor;

import io.belfry.server.config.ListenAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rule for who may come to a listener: beyond loopback it opens without authentication only where somebody wrote
 * that down, and then every start says so. Immutable.
 *
 * @param name the keys' prefix, {@code MonitorJMX} or {@code MonitorHTTP}
 * @param written whether {@code Authentication} stands in the configuration or is a default
 */
record Exposure(String name, ListenAddress listen, boolean authentication, boolean written, boolean encryption) {
    private static final Logger LOG = LoggerFactory.getLogger(Exposure.class);

    /** The address to bind, after the rule was applied. */
    InetSocketAddress checkedAddress() throws IOException {
        InetSocketAddress address = address();
        if (beyondLoopback(address.getAddress())) {
            if (!authentication && !written) {
                throw new IOException(name + ".Listen = " + listen + " is open beyond this host without authentication;"
                        + " write " + name + ".Authentication = false if that is meant, or true");
            }
            warnOfWhatIsOpen();
        }
        return address;
    }

    private void warnOfWhatIsOpen() {
        if (!authentication) {
            LOG.warn(
                    "{}.Authentication = false: whoever reaches {} reads every figure of this server, without a password",
                    name,
                    listen);
        } else if (!encryption) {
            LOG.warn(
                    "{}.Listen = {} is open beyond this host and passwords cross the network unencrypted",
                    name,
                    listen);
        }
    }

    private InetSocketAddress address() throws IOException {
        if (listen.any()) {
            return new InetSocketAddress(listen.port());
        }
        return new InetSocketAddress(InetAddress.getByName(listen.host()), listen.port());
    }

    private static boolean beyondLoopback(InetAddress address) {
        return !address.isLoopbackAddress();
    }
}
