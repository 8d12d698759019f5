package io.belfry.protocol;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/**
 * The keys of clients: secrets that a client chooses at random. A name is computed from the SHA-256 of its key, so whoever knows the
 * name cannot use what needs the key. Pure.
 */
final class ClientKeys {
    /** Minimum length of a key, in characters; so many have 132 bits. */
    static final int MIN_CHARS = 22;

    /** Maximum length of a key, in characters. */
    static final int MAX_CHARS = 64;

    static final String RULE =
            "must have " + MIN_CHARS + " to " + MAX_CHARS + " of the characters A-Z, a-z, 0-9, '-' and '_'";

    private ClientKeys() {}

    /** Returns whether the bytes from this index on are a key. */
    static boolean isKey(byte[] bytes, int from) {
        int length = bytes.length - from;
        return length >= MIN_CHARS && length <= MAX_CHARS && isBase64(bytes, from, bytes.length);
    }

    /** Returns whether all bytes of the range are characters of base64url. */
    static boolean isBase64(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (!((b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '-' || b == '_')) {
                return false;
            }
        }
        return true;
    }

    /** Returns the first bytes of the SHA-256 of the key, in base64url. */
    static byte[] name(byte[] key, int bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key);
            return Base64.getUrlEncoder().withoutPadding().encode(Arrays.copyOf(digest, bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
