package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** How tokens are verified under {@code Entitlement = JWT}. Immutable; the secret is never shown. */
public record JwtConfig(
        Optional<String> secret,
        Optional<Path> secretFile,
        Optional<Path> publicKey,
        Optional<String> jwks,
        Optional<String> algorithm,
        long refreshMillis,
        long unknownKeyMillis,
        Optional<String> issuer,
        Optional<String> audience,
        long leewayMillis,
        boolean requireExpiry) {
    static final long MAX_LEEWAY_MILLIS = 600_000;

    public JwtConfig {
        InvalidSetting.unless(
                secret.isEmpty() || secretFile.isEmpty(),
                "Jwt.SecretFile",
                secretFile.map(Path::toString).orElse(""),
                "goes without Jwt.Secret: write one of the two");
        jwks.filter(JwtConfig::isUrl).ifPresent(JwtConfig::requireSafe);
    }

    /** Whether there is anything to verify with. */
    boolean hasKeys() {
        return secret.isPresent() || secretFile.isPresent() || publicKey.isPresent() || jwks.isPresent();
    }

    private static boolean isUrl(String text) {
        return text.contains("://");
    }

    /** Where the keys are fetched, if it is no file. */
    public Optional<URI> jwksUrl() {
        return jwks.filter(JwtConfig::isUrl).map(URI::create);
    }

    public Optional<Path> jwksFile() {
        return jwks.filter(text -> !isUrl(text)).map(Path::of);
    }

    /** Who can change the answer on its way can make tokens: plain HTTP is for this machine only. */
    private static void requireSafe(String text) {
        InvalidSetting.unless(
                isSafe(text),
                "Jwt.Jwks",
                text,
                "must be a file, an https URL, or an http URL of 127.0.0.1, [::1] or localhost");
    }

    private static boolean isSafe(String text) {
        try {
            URI url = URI.create(text);
            String host = url.getHost();
            return host != null
                    && url.getUserInfo() == null
                    && ("https".equals(url.getScheme())
                            || ("http".equals(url.getScheme()) && LoopbackHost.isNamedBy(host)));
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "JwtConfig[secret=" + Secrets.shown(secret) + ", secretFile=" + secretFile + ", publicKey=" + publicKey
                + ", jwks=" + jwks + "]";
    }
}
