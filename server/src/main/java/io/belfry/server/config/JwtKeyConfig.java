package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;

/** Sources of the keys that verify tokens. Immutable; its text never contains secrets. */
public record JwtKeyConfig(
        Optional<String> secret,
        Optional<Path> secretFile,
        Optional<Path> publicKey,
        Optional<String> jwks,
        Optional<String> algorithm,
        long refreshMillis,
        long unknownKeyMillis) {
    public JwtKeyConfig {
        InvalidSetting.unless(
                secret.isEmpty() || secretFile.isEmpty(),
                "Jwt.SecretFile",
                secretFile.map(Path::toString).orElse(""),
                "conflicts with Jwt.Secret: set only one of them");
        jwks.filter(JwtKeyConfig::isUrl).ifPresent(JwtKeyConfig::requireSafe);
    }

    /** Returns whether no source of keys is configured. */
    boolean isEmpty() {
        return secret.isEmpty() && secretFile.isEmpty() && publicKey.isEmpty() && jwks.isEmpty();
    }

    private static boolean isUrl(String text) {
        return text.contains("://");
    }

    /** Returns the URL to fetch keys from, or empty if {@code Jwt.Jwks} is a file or not set. */
    public Optional<URI> jwksUrl() {
        return jwks.filter(JwtKeyConfig::isUrl).map(URI::create);
    }

    /** Returns the file with the keys, or empty if {@code Jwt.Jwks} is a URL or not set. */
    public Optional<Path> jwksFile() {
        return jwks.filter(text -> !isUrl(text)).map(Path::of);
    }

    /** Allows plain HTTP only on this machine: an attacker who modifies the response could create valid tokens. */
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
        return "JwtKeyConfig[secret=" + Secrets.shown(secret) + ", secretFile=" + secretFile + ", publicKey="
                + publicKey + ", jwks=" + jwks + "]";
    }
}
