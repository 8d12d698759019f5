package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/**
 * The secrets that sign requests to the application: in the configuration or in a file. Immutable; its text never contains
 * secrets.
 */
public record SignatureConfig(String key, Optional<String> secret, Optional<Path> file) {
    private static final String PREFIX = "whsec_";
    private static final int MIN_BYTES = 24;
    private static final int MAX_BYTES = 64;
    private static final int SECRETS_MAX = 4;

    public SignatureConfig {
        secret.ifPresent(text -> parsed(key, text));
        if (secret.isPresent() && file.isPresent()) {
            throw new InvalidSetting(key + "File", "conflicts with " + key + ": set only one of them");
        }
    }

    boolean isEmpty() {
        return secret.isEmpty() && file.isEmpty();
    }

    /** Returns the secrets, the newest first. Reads the file if there is one. */
    public List<String> read() throws IOException {
        try {
            return parsed(
                    key,
                    file.isPresent() ? SecretFiles.firstLine("the file of " + key, file.get()) : secret.orElse(""));
        } catch (InvalidSetting invalid) {
            throw new IOException(invalid.getMessage(), invalid);
        }
    }

    private static List<String> parsed(String key, String text) {
        List<String> secrets = List.of(text.strip().split("\\s+"));
        if (secrets.size() > SECRETS_MAX || !secrets.stream().allMatch(SignatureConfig::isSecret)) {
            throw new InvalidSetting(
                    key,
                    "must be 1 to " + SECRETS_MAX + " secrets with spaces between them, each " + PREFIX
                            + " and the base64 form of " + MIN_BYTES + " to " + MAX_BYTES
                            + " random bytes; make one with: echo whsec_$(openssl rand -base64 32)");
        }
        return secrets;
    }

    private static boolean isSecret(String text) {
        try {
            int bytes = Base64.getDecoder().decode(text.substring(PREFIX.length())).length;
            return text.startsWith(PREFIX) && bytes >= MIN_BYTES && bytes <= MAX_BYTES;
        } catch (IllegalArgumentException | StringIndexOutOfBoundsException invalid) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "SignatureConfig[secret=" + Secrets.shown(secret) + ", file=" + file + "]";
    }
}
