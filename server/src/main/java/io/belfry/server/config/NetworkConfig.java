package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.util.stream.Collectors;

/** The settings of listening sockets: addresses, TLS, and the proxies in front of the server. Immutable. */
public record NetworkConfig(ListenConfig listen, TlsConfig tls, ProxyConfig proxies) {
    public NetworkConfig {
        InvalidSetting.unless(
                listen.encrypted().isEmpty() || tls.identity().isPresent(),
                "ListenEncrypted",
                listen.encrypted().stream().map(ListenAddress::toString).collect(Collectors.joining(", ")),
                "needs Certificate and CertificateKey, or KeyStore");
    }
}
