package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Proxies that the server trusts to report the addresses of clients. Immutable.
 *
 * @param protocol whether these proxies use the PROXY protocol before the first byte, instead of a header per request
 */
public record ProxyConfig(boolean protocol, List<AddressRange> trusted) {
    public ProxyConfig {
        trusted = List.copyOf(trusted);
        InvalidSetting.unless(!protocol || !trusted.isEmpty(), "ProxyProtocol", true, "needs TrustedProxies");
    }

    /** Returns whether connections from this address belong to a trusted proxy. */
    public boolean trusts(@Nullable InetAddress address) {
        if (address != null) {
            for (AddressRange range : trusted) {
                if (range.contains(address)) {
                    return true;
                }
            }
        }
        return false;
    }
}
