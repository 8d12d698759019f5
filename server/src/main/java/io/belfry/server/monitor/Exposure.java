package io.belfry.server.monitor;

import io.belfry.server.config.ListenAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether a monitor listener may open. Beyond loopback, a listener without authentication opens only if the
 * configuration disables authentication explicitly, and each start then logs a warning. Immutable.
 *
 * @param name prefix of the keys, {@code MonitorJMX} or {@code MonitorHTTP}
 * @param written whether the configuration sets {@code Authentication}; otherwise it has its default
 */
record Exposure(String name, ListenAddress listen, boolean authentication, boolean written, boolean encryption) {
    private static final Logger LOG = LoggerFactory.getLogger(Exposure.class);

    /** Returns the address to bind; throws if the listener may not open. */
    InetSocketAddress checkedAddress() throws IOException {
        InetSocketAddress address = address();
        if (beyondLoopback(address.getAddress())) {
            if (!authentication && !written) {
                throw new IOException(name + ".Listen = " + listen + " is reachable from other hosts without"
                        + " authentication; set " + name + ".Authentication = true, or " + name
                        + ".Authentication = false to allow this");
            }
            warnAboutExposure();
        }
        return address;
    }

    private void warnAboutExposure() {
        if (!authentication) {
            LOG.warn(
                    "{}.Authentication = false: every client that reaches {} can read all metrics without a password",
                    name,
                    listen);
        } else if (!encryption) {
            LOG.warn(
                    "{}.Listen = {} is reachable from other hosts, and passwords are sent over the network unencrypted",
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
