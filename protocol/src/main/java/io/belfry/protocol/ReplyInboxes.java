package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
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
    private static final String PREFIX_TEXT = "/$inbox/";
    private static final byte[] PREFIX = PREFIX_TEXT.getBytes(StandardCharsets.UTF_8);
    private static final int NAME_BYTES = 16;
    private static final int NAME_CHARS = 22;
    private static final int INBOX_LENGTH = PREFIX.length + NAME_CHARS;

    private ReplyInboxes() {}

    /** Returns the inbox of a key: the subject to which replies are published. */
    public static String of(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        if (!ClientKeys.isKey(bytes, 0)) {
            throw new IllegalArgumentException("a key " + ClientKeys.RULE);
        }
        return PREFIX_TEXT + new String(ClientKeys.name(bytes, NAME_BYTES), StandardCharsets.US_ASCII);
    }

    /** Returns whether the subject is an inbox. Allocates nothing. */
    public static boolean isInbox(byte[] subject, int length) {
        return length == INBOX_LENGTH
                && Arrays.equals(subject, 0, PREFIX.length, PREFIX, 0, PREFIX.length)
                && ClientKeys.isBase64(subject, PREFIX.length, INBOX_LENGTH);
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
        if (!ClientKeys.isKey(subject, INBOX_LENGTH + 1)) {
            return null;
        }
        byte[] name = ClientKeys.name(Arrays.copyOfRange(subject, INBOX_LENGTH + 1, subject.length), NAME_BYTES);
        byte[] claimed = Arrays.copyOfRange(subject, PREFIX.length, INBOX_LENGTH);
        return MessageDigest.isEqual(name, claimed) ? Arrays.copyOf(subject, INBOX_LENGTH) : null;
    }
}
