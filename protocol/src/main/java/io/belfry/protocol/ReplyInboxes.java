package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * ReplyInboxes: subjects to which replies are published. A client chooses a secret key. The name of its inbox is the beginning of the
 * SHA-256 of the key, so whoever knows the name may publish to the inbox, and only who knows the key may subscribe to it:
 *
 * <pre>
 *   /$inbox/NAME        the subject of the messages, and of the header replyTo
 *   /$inbox/NAME/KEY    the subject of a subscription
 * </pre>
 *
 * <p>The server stores no key. Pure.
 */
public final class ReplyInboxes {
    /** Minimum length of a key, in characters; so many have 132 bits. */
    public static final int KEY_MIN_CHARS = 22;

    /** Maximum length of a key, in characters. */
    public static final int KEY_MAX_CHARS = 64;

    private static final String PREFIX_TEXT = "/$inbox/";
    private static final byte[] PREFIX = PREFIX_TEXT.getBytes(StandardCharsets.UTF_8);
    private static final int NAME_BYTES = 16;
    private static final int NAME_CHARS = 22;
    private static final int INBOX_LENGTH = PREFIX.length + NAME_CHARS;

    private ReplyInboxes() {}

    /** Returns the inbox of a key: the subject to which replies are published. */
    public static String of(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        if (!isKey(bytes, 0)) {
            throw new IllegalArgumentException("a key must have " + KEY_MIN_CHARS + " to " + KEY_MAX_CHARS
                    + " of the characters A-Z, a-z, 0-9, '-' and '_'");
        }
        return PREFIX_TEXT + name(bytes);
    }

    /** Returns whether the subject is an inbox. Allocates nothing. */
    public static boolean isInbox(byte[] subject, int length) {
        return length == INBOX_LENGTH
                && Arrays.equals(subject, 0, PREFIX.length, PREFIX, 0, PREFIX.length)
                && isBase64(subject, PREFIX.length, INBOX_LENGTH);
    }

    /** Returns whether the subject is an inbox. */
    static boolean isInbox(ByteBuf buffer, int offset, int length) {
        if (length != INBOX_LENGTH) {
            return false;
        }
        byte[] subject = new byte[length];
        buffer.getBytes(offset, subject);
        return isInbox(subject, length);
    }

    /** Returns whether a subscription to this subject needs the key of an inbox. */
    public static boolean needsKey(byte[] subject) {
        return subject.length >= PREFIX.length - 1
                && Arrays.equals(subject, 0, PREFIX.length - 1, PREFIX, 0, PREFIX.length - 1)
                && (subject.length == PREFIX.length - 1 || subject[PREFIX.length - 1] == '/');
    }

    /** Returns the inbox that the subject of a subscription names together with its key, or null if the key is not that of the inbox. */
    public static byte @Nullable [] opened(byte[] subject) {
        if (subject.length <= INBOX_LENGTH || subject[INBOX_LENGTH] != '/' || !isInbox(subject, INBOX_LENGTH)) {
            return null;
        }
        if (!isKey(subject, INBOX_LENGTH + 1)) {
            return null;
        }
        byte[] name = name(Arrays.copyOfRange(subject, INBOX_LENGTH + 1, subject.length))
                .getBytes(StandardCharsets.UTF_8);
        byte[] claimed = Arrays.copyOfRange(subject, PREFIX.length, INBOX_LENGTH);
        return MessageDigest.isEqual(name, claimed) ? Arrays.copyOf(subject, INBOX_LENGTH) : null;
    }

    private static boolean isKey(byte[] bytes, int from) {
        int length = bytes.length - from;
        return length >= KEY_MIN_CHARS && length <= KEY_MAX_CHARS && isBase64(bytes, from, bytes.length);
    }

    private static boolean isBase64(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            byte b = bytes[i];
            if (!((b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '-' || b == '_')) {
                return false;
            }
        }
        return true;
    }

    private static String name(byte[] key) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(key);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest, NAME_BYTES));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
