package io.belfry.server.tls;

import io.belfry.server.config.TlsConfig;
import io.belfry.server.config.TlsGroup;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;
import java.util.List;

/** The TLS implementation that encrypts connections. Immutable. */
public enum TlsProvider {
    /**
     * BoringSSL through netty-tcnative. Its engines and contexts are reference-counted; no garbage collection frees
     * them.
     */
    OPENSSL(SslProvider.OPENSSL_REFCNT),
    JDK(SslProvider.JDK);

    private final SslProvider kind;

    TlsProvider(SslProvider kind) {
        this.kind = kind;
    }

    static TlsProvider of(TlsConfig.Provider wanted) throws TlsException {
        return switch (wanted) {
            case JDK -> JDK;
            case AUTO -> OpenSsl.isAvailable() ? OPENSSL : JDK;
            case OPENSSL -> {
                if (!OpenSsl.isAvailable()) {
                    throw new TlsException(
                            "Tls.Provider = openssl: the native library cannot be loaded",
                            OpenSsl.unavailabilityCause());
                }
                yield OPENSSL;
            }
        };
    }

    /** Throws if this provider does not support one of these key exchange groups. */
    void requireGroups(List<TlsGroup> groups) throws TlsException {
        if (this == OPENSSL && groups.contains(TlsGroup.X448)) {
            throw new TlsException(
                    "Tls.Groups = X448: BoringSSL does not support it; remove it or set Tls.Provider = jdk");
        }
    }

    SslProvider kind() {
        return kind;
    }

    /** Returns the name of the provider, for BoringSSL with the version, for the log. */
    @Override
    public String toString() {
        return this == OPENSSL ? "openssl (" + OpenSsl.versionString() + ")" : "jdk";
    }
}
