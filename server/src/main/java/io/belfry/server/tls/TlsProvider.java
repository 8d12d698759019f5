package io.belfry.server.tls;

import io.belfry.server.config.TlsConfig;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

/** Whose code encrypts. Immutable. */
public enum TlsProvider {
    /** BoringSSL, through netty-tcnative. Engines and contexts are counted, and freed without the collector. */
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

    SslProvider kind() {
        return kind;
    }

    /** For the log. */
    @Override
    public String toString() {
        return this == OPENSSL ? "openssl (" + OpenSsl.versionString() + ")" : "jdk";
    }
}
