package io.belfry.protocol;

import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The position of the pattern subscriptions of a session: everything that was published up to it on the matching subjects
 * has been sent. Only the server that created it interprets the bytes; two positions do not compare. Immutable; the receiver
 * may keep the array but not change it.
 */
public final class PatternPosition {
    /** Maximum number of bytes, which are 1,024 characters of text. */
    public static final int MAX_BYTES = 768;

    private static final int MAX_CHARS = MAX_BYTES / 3 * 4;

    private final byte[] bytes;

    private PatternPosition(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the position with these bytes; null if there are none or more than {@link #MAX_BYTES}. */
    public static @Nullable PatternPosition of(byte[] bytes) {
        return bytes.length == 0 || bytes.length > MAX_BYTES ? null : new PatternPosition(bytes);
    }

    /** Parses base64url without padding (RFC 4648, section 5); returns null for any other text. */
    public static @Nullable PatternPosition parse(String text) {
        if (text.isEmpty() || text.length() > MAX_CHARS) {
            return null;
        }
        try {
            PatternPosition position =
                    new PatternPosition(Base64.getUrlDecoder().decode(text));
            // The decoder accepts padding and ignores surplus bits, so several texts would be the same position.
            return position.toString().equals(text) ? position : null;
        } catch (IllegalArgumentException notBase64) {
            return null;
        }
    }

    public byte[] bytes() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PatternPosition that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** Returns the text that {@link #parse} accepts. */
    @Override
    public String toString() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
