package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whose word is taken for where a client comes from. Immutable.
 *
 * @param protocol whether these proxies say it before the first byte (PROXY protocol), instead of with each request
 */
public record ProxyConfig(boolean protocol, List<AddressRange> trusted) {
    public ProxyConfig {
        trusted = List.copyOf(trusted);
        InvalidSetting.unless(!protocol || !trusted.isEmpty(), "ProxyProtocol", true, "needs TrustedProxies");
    }

    /** Whether connections from there are a proxy's. */
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
