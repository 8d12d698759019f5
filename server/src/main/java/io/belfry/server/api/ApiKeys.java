package io.belfry.server.api;

import io.belfry.server.config.SecretFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a key file. Only their digests are stored. A comparison takes the same time whichever key is sent, and whether it is
 * valid or not. Immutable.
 */
final class ApiKeys {
    static final int KEY_MIN_CHARS = 32;
    static final int KEYS_MAX = 100;
    private static final int FILE_BYTES_MAX = 64 << 10;
    private static final String SCHEME = "Bearer ";
    private static final String WHAT = "the key file of the server API";

    @SuppressWarnings("ArrayRecordComponent") // Never compared as a record.
    private record Entry(byte[] digest, ApiKey key) {}

    private final List<Entry> entries;

    private ApiKeys(List<Entry> entries) {
        this.entries = List.copyOf(entries);
    }

    /** Reads a key file; throws with the line and the rule that it breaks, and never shows a key. */
    static ApiKeys read(Path file) throws IOException {
        if (!Files.isReadable(file) || Files.size(file) > FILE_BYTES_MAX) {
            throw new IOException("Api.KeyFile: " + file + " cannot be read or is larger than 64 KB");
        }
        SecretFiles.warnWhereOthersCanRead(WHAT, file);
        List<Entry> entries = new ArrayList<>();
        Set<String> names = new HashSet<>();
        int number = 0;
        for (String line : Files.readString(file).lines().toList()) {
            number++;
            if (!line.isBlank() && !line.strip().startsWith("#")) {
                Entry entry = entry(line.strip(), "Api.KeyFile: " + file + ", line " + number + ": ");
                if (!names.add(entry.key.name())) {
                    throw new IOException("Api.KeyFile: " + file + ", line " + number + ": the name " + entry.key.name()
                            + " occurs twice");
                }
                entries.add(entry);
            }
        }
        if (entries.isEmpty() || entries.size() > KEYS_MAX) {
            throw new IOException("Api.KeyFile: " + file + " must have 1 to " + KEYS_MAX
                    + " lines with a name, rights and a key, such as: backend publish,read KEY");
        }
        return new ApiKeys(entries);
    }

    private static Entry entry(String line, String where) throws IOException {
        String[] words = line.split("\\s+", -1);
        if (words.length != 3) {
            throw new IOException(where + "must have three words: a name, rights and a key");
        }
        if (!words[0].matches("[A-Za-z0-9._-]{1,64}")) {
            throw new IOException(where + "a name has 1 to 64 letters, digits, dots, underscores and hyphens");
        }
        Set<ApiRight> rights = EnumSet.noneOf(ApiRight.class);
        for (String word : words[1].split(",", -1)) {
            rights.add(Arrays.stream(ApiRight.values())
                    .filter(right -> right.text().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new IOException(where + "the rights are publish, read and act")));
        }
        if (words[2].length() < KEY_MIN_CHARS) {
            throw new IOException(where + "a key has at least " + KEY_MIN_CHARS + " characters");
        }
        return new Entry(digest(words[2]), new ApiKey(words[0], rights));
    }

    /** Returns the key that an {@code Authorization} header presents, or null. */
    @Nullable
    ApiKey find(@Nullable String authorization) {
        byte[] presented = digest(authorization == null ? "" : presented(authorization));
        ApiKey found = null;
        for (Entry each : entries) {
            // All keys are compared, so that the time does not depend on which one fits.
            if (MessageDigest.isEqual(each.digest, presented)) {
                found = each.key;
            }
        }
        return found;
    }

    private static String presented(String authorization) {
        boolean bearer = authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
        return bearer ? authorization.substring(SCHEME.length()).strip() : "";
    }

    private static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
