package io.belfry.server.config;

import io.belfry.server.config.TopicKey.Trait;
import io.belfry.settings.TimeScale;
import io.belfry.settings.ValueType;

/** The keys about TLS; {@code ConfigKey} lists them. Immutable. */
final class TlsKeys {
    static final TopicKey CERTIFICATE = new TopicKey(
            ConfigTopic.TLS,
            "Certificate",
            ValueType.path(),
            "PEM file with the server's certificate, followed by the certificates of its issuers in order. The"
                    + " server checks this file and the other files of this chapter for changes, and applies a change"
                    + " without a restart or a disconnect.",
            Trait.RELOADABLE);

    static final TopicKey CERTIFICATE_KEY = new TopicKey(
            ConfigTopic.TLS,
            "CertificateKey",
            ValueType.path(),
            "PEM file with the private key of `Certificate`: PKCS #8, or OpenSSL's older RSA and EC forms.",
            Trait.RELOADABLE);

    static final TopicKey CERTIFICATE_KEY_PASSWORD = new TopicKey(
            ConfigTopic.TLS,
            "CertificateKeyPassword",
            ValueType.text(),
            "Password of `CertificateKey`, if that is encrypted PKCS #8.",
            Trait.SECRET,
            Trait.RELOADABLE);

    static final TopicKey KEY_STORE = new TopicKey(
            ConfigTopic.TLS,
            "KeyStore",
            ValueType.path(),
            "PKCS #12 file with one private key and its certificates, used instead of `Certificate` and"
                    + " `CertificateKey`. `MonitorJMX.Encryption` uses it too, and reads it at the start only.",
            Trait.RELOADABLE);

    static final TopicKey KEY_STORE_PASSWORD = new TopicKey(
            ConfigTopic.TLS,
            "KeyStorePassword",
            ValueType.text(),
            "Password of `KeyStore`.",
            Trait.SECRET,
            Trait.RELOADABLE);

    static final TopicKey TLS_PROVIDER = new TopicKey(
            ConfigTopic.TLS,
            "Tls.Provider",
            ValueType.choice("auto", "openssl", "jdk"),
            "auto",
            "TLS implementation: `openssl` is native code (BoringSSL), and an error where it cannot be loaded;"
                    + " `jdk` is that of the JDK. `auto` uses the native one where it can be loaded.");

    static final TopicKey TLS_CLIENT_CERTIFICATES = new TopicKey(
            ConfigTopic.TLS,
            "Tls.ClientCertificates",
            ValueType.choice("none", "want", "need"),
            "none",
            "Whether to ask clients for a certificate: `none` does not, `want` accepts clients without one,"
                    + " `need` refuses them. A certificate that `Tls.ClientAuthorities` did not issue ends the"
                    + " connection.",
            Trait.RELOADABLE);

    static final TopicKey TLS_CLIENT_AUTHORITIES = new TopicKey(
            ConfigTopic.TLS,
            "Tls.ClientAuthorities",
            ValueType.path(),
            "PEM file with the certificates of the authorities whose client certificates are accepted.",
            Trait.RELOADABLE);

    static final TopicKey TLS_GROUPS = new TopicKey(
            ConfigTopic.TLS,
            "Tls.Groups",
            ValueType.list("list of groups"),
            "X25519, secp256r1, secp384r1",
            "Key exchange groups in order of preference; a client that offers none of them is refused. The"
                    + " default is that of Mozilla's intermediate profile. `secp521r1` is also allowed, and `X448` with"
                    + " `Tls.Provider = jdk`. `MonitorJMX.Encryption` uses the same groups from the start on.",
            Trait.RELOADABLE);

    static final TopicKey TLS_CHECK_INTERVAL = new TopicKey(
            ConfigTopic.TLS,
            "Tls.CheckInterval",
            ValueType.time(TimeScale.S, TlsConfig.MIN_CHECK_MILLIS, TlsConfig.MAX_CHECK_MILLIS),
            "5 s",
            "Interval at which the files of this chapter are checked for changes; `bin/belfry reload` checks"
                    + " them at once.");

    private TlsKeys() {}
}
