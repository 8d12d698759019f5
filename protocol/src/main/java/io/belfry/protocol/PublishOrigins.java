package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The origins of publishes, by which clients recognise their own messages. A client chooses a secret key and sends it with a publish.
 * The server gives the message the header {@code $origin} with the tag of the key: the beginning of its SHA-256. Receivers
 * see the tag, and only a client that knows the key can publish with it. The server stores no key. Pure.
 */
public final class PublishOrigins {
    /** Length of a tag, in characters of base64url. */
    public static final int TAG_CHARS = 16;

    /** The rule that a key follows. */
    public static final String RULE = "origin " + ClientKeys.RULE;

    private static final int TAG_BYTES = 12;

    private PublishOrigins() {}

    /** Returns the tag of a key. */
    public static String of(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        if (!ClientKeys.isKey(bytes, 0)) {
            throw new IllegalArgumentException(RULE);
        }
        return new String(ClientKeys.name(bytes, TAG_BYTES), StandardCharsets.US_ASCII);
    }

    /** Returns whether the text is a key. */
    public static boolean isKey(byte[] text) {
        return ClientKeys.isKey(text, 0);
    }

    static boolean isKey(ByteBuf buffer, int offset, int length) {
        return length >= ClientKeys.MIN_CHARS
                && length <= ClientKeys.MAX_CHARS
                && ClientKeys.isKey(bytes(buffer, offset, length), 0);
    }

    /** Returns the tag of a valid key. */
    static byte[] tag(ByteBuf buffer, int offset, int length) {
        return ClientKeys.name(bytes(buffer, offset, length), TAG_BYTES);
    }

    private static byte[] bytes(ByteBuf buffer, int offset, int length) {
        byte[] key = new byte[length];
        buffer.getBytes(offset, key);
        return key;
    }
}
