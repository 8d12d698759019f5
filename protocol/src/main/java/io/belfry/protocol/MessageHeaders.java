package io.belfry.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a message: pairs of short texts beside its data. They are one block of bytes, the same in the binary
 * encoding, in a history and between event loops:
 *
 * <pre>
 *   +--------+  +---+------+--------+-------+
 *   | length |  | n | name | length | value |  for each pair, in the order of the publisher
 *   | 2      |  | 1 | n    | 2      |       |
 *   +--------+  +---+------+--------+-------+
 * </pre>
 *
 * <p>The first length is that of all pairs. A message without headers has no block. Pure.
 */
public final class MessageHeaders {
    /** Maximum number of pairs of a message. */
    public static final int COUNT_MAX = 16;

    /** Maximum length of a name, in bytes. */
    public static final int NAME_MAX_BYTES = 64;

    /** Maximum length of all pairs, in bytes; the length of a block has two bytes. */
    public static final int BYTES_MAX = 0xffff;

    /** The bytes of a block before its pairs. */
    public static final int LENGTH_BYTES = 2;

    /** The bytes of a pair beside its name and its value. */
    public static final int PAIR_BYTES = 3;

    /** The name of the header with the subject to which replies are published. */
    public static final String REPLY_TO = "replyTo";

    /** The name of the header that relates a reply to its request: the reply has that of the request. */
    public static final String CORRELATION_ID = "correlationId";

    /** The name of the header with the user that published the message. Set by the server only. */
    public static final String PUBLISHER = "$publisher";

    /**
     * The name of the header with the time to live of the message, in milliseconds after its time. Set by the server only, as the
     * first header.
     */
    public static final String TTL = "$ttl";

    /**
     * The name of the header with the tag of the publisher's {@link PublishOrigins origin}, by which a client recognises its own
     * messages. Set by the server only.
     */
    public static final String ORIGIN = "$origin";

    private static final int TTL_DIGITS_MAX = 15;
    private static final int TTL_NAME = 0x2474746c;
    private static final byte[] TTL_BYTES = utf8(TTL);
    private static final byte[] PUBLISHER_BYTES = utf8(PUBLISHER);
    private static final byte[] ORIGIN_BYTES = utf8(ORIGIN);

    static final String NAME_RULE = "a header's name must have 1 to " + NAME_MAX_BYTES
            + " bytes of UTF-8 without control characters, and must not begin with '$'";
    private static final String UTF8_RULE = "a header's name and value must be UTF-8";
    private static final String COUNT_RULE = "a message may have at most " + COUNT_MAX + " headers";
    private static final String TWICE = "a message must not have two headers of one name";
    private static final String BLOCK_RULE = "the headers do not fill their length";
    static final String BYTES_RULE = "headers may have at most " + BYTES_MAX + " bytes";

    private MessageHeaders() {}

    /** Receives the pairs of a block. */
    public interface Reader {
        /** Called for a pair; the buffer is valid during the call. */
        void onHeader(ByteBuf buffer, int nameOffset, int nameLength, int valueOffset, int valueLength);
    }

    /** Returns the rule that a block of a client breaks, or null if it is valid. The range contains the whole block. */
    public static @Nullable String problem(ByteBuf block, int offset, int length) {
        String problem = formProblem(block, offset, length);
        if (problem != null) {
            return problem;
        }
        int count = 0;
        for (int at = offset + LENGTH_BYTES; at < offset + length; at = after(block, at, offset + length)) {
            if (++count > COUNT_MAX) {
                return COUNT_RULE;
            }
            problem = nameProblem(block, offset + LENGTH_BYTES, at);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /**
     * Returns the rule that the form of a block breaks, or null. A client checks no more: a server of a later version may have
     * other rules for names, and uses names that clients must not publish.
     */
    static @Nullable String formProblem(ByteBuf block, int offset, int length) {
        if (length < LENGTH_BYTES || block.getUnsignedShort(offset) != length - LENGTH_BYTES) {
            return BLOCK_RULE;
        }
        int end = offset + length;
        for (int at = offset + LENGTH_BYTES; at < end; ) {
            int next = after(block, at, end);
            if (next < 0) {
                return BLOCK_RULE;
            }
            int nameLength = block.getUnsignedByte(at);
            int value = valueOffset(at, nameLength);
            if (!Utf8.valid(block, at + 1, nameLength) || !Utf8.valid(block, value, next - value)) {
                return UTF8_RULE;
            }
            at = next;
        }
        return null;
    }

    /** Returns the index after the pair at this index, or -1 if the pair does not end before {@code end}. */
    static int after(ByteBuf block, int at, int end) {
        int valueLength = at + 1 + block.getUnsignedByte(at);
        if (valueLength + Short.BYTES > end) {
            return -1;
        }
        int next = valueLength + Short.BYTES + block.getUnsignedShort(valueLength);
        return next > end ? -1 : next;
    }

    static int valueOffset(int at, int nameLength) {
        return at + 1 + nameLength + Short.BYTES;
    }

    private static @Nullable String nameProblem(ByteBuf block, int first, int at) {
        int nameLength = block.getUnsignedByte(at);
        if (!isName(block, at + 1, nameLength)) {
            return NAME_RULE;
        }
        for (int other = first; other < at; other = after(block, other, at)) {
            if (block.getByte(other) == block.getByte(at)
                    && ByteBufUtil.equals(block, other + 1, block, at + 1, nameLength)) {
                return TWICE;
            }
        }
        return null;
    }

    private static boolean isName(ByteBuf name, int offset, int length) {
        if (length == 0 || length > NAME_MAX_BYTES || name.getByte(offset) == '$') {
            return false;
        }
        for (int i = offset; i < offset + length; i++) {
            byte b = name.getByte(i);
            // U+0080 to U+009F are 0xc2 and one more byte below 0xa0.
            boolean isLaterControl = b == (byte) 0xc2 && i + 1 < offset + length && name.getByte(i + 1) < (byte) 0xa0;
            if ((b >= 0 && b < ' ') || b == 0x7f || isLaterControl) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a pair follows the rules of names and values. */
    public static boolean isPair(byte[] name, byte[] value) {
        return isName(Unpooled.wrappedBuffer(name), 0, name.length)
                && Utf8.valid(Unpooled.wrappedBuffer(name), 0, name.length)
                && value.length <= BYTES_MAX
                && Utf8.valid(Unpooled.wrappedBuffer(value), 0, value.length);
    }

    /** Returns the number of pairs of a valid block. */
    public static int count(ByteBuf block, int offset, int length) {
        int count = 0;
        for (int at = offset + LENGTH_BYTES; at < offset + length; at = after(block, at, offset + length)) {
            count++;
        }
        return count;
    }

    /** Passes the pairs of a valid block to the reader, in their order. */
    public static void read(ByteBuf block, int offset, int length, Reader reader) {
        int end = offset + length;
        for (int at = offset + LENGTH_BYTES; at < end; ) {
            int nameLength = block.getUnsignedByte(at);
            int value = valueOffset(at, nameLength);
            int next = after(block, at, end);
            reader.onHeader(block, at + 1, nameLength, value, next - value);
            at = next;
        }
    }

    /** Returns the headers of a message, in their order; an empty map if it has none. */
    public static Map<String, String> of(MessageView message) {
        if (message.headersLength() == 0) {
            return Map.of();
        }
        Map<String, String> headers = new LinkedHashMap<>();
        read(
                message.headers(),
                message.headersOffset(),
                message.headersLength(),
                (block, name, n, value, v) -> headers.put(
                        block.toString(name, n, StandardCharsets.UTF_8),
                        block.toString(value, v, StandardCharsets.UTF_8)));
        return headers;
    }

    /** Returns the rule that these headers break, or null if they are valid. */
    public static @Nullable String problem(Map<String, String> headers) {
        if (headers.size() > COUNT_MAX) {
            return COUNT_RULE;
        }
        for (Map.Entry<String, String> each : headers.entrySet()) {
            if (!isPair(utf8(each.getKey()), utf8(each.getValue()))) {
                return NAME_RULE + ": " + each.getKey();
            }
        }
        return bytes(headers) > BYTES_MAX ? BYTES_RULE : null;
    }

    /** Returns the bytes of all pairs, as limits count them. */
    public static int bytes(Map<String, String> headers) {
        int bytes = 0;
        for (Map.Entry<String, String> each : headers.entrySet()) {
            bytes += PAIR_BYTES + ByteBufUtil.utf8Bytes(each.getKey()) + ByteBufUtil.utf8Bytes(each.getValue());
        }
        return bytes;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Appends a block; throws if its lengths do not fit. The server checks the other rules. */
    public static void write(ByteBuf out, Map<String, String> headers) {
        int start = begin(out);
        headers.forEach((name, value) -> pair(out, utf8(name), utf8(value)));
        if (!end(out, start)) {
            throw new IllegalArgumentException(BYTES_RULE);
        }
    }

    /**
     * Appends a block that begins with the headers of the server. The range is the block of the publisher, or has the length 0.
     * Returns false if the block is too long.
     *
     * @param ttlMillis the time to live; 0 for none
     * @param publisher the name of the user, or null for none
     * @param origin the tag of the publisher's origin, or null for none
     */
    public static boolean writeOfServer(
            ByteBuf out,
            long ttlMillis,
            byte @Nullable [] publisher,
            byte @Nullable [] origin,
            ByteBuf block,
            int offset,
            int length) {
        int start = begin(out);
        if (ttlMillis > 0) {
            pair(out, TTL_BYTES, utf8(Long.toString(ttlMillis)));
        }
        if (publisher != null) {
            pair(out, PUBLISHER_BYTES, publisher);
        }
        if (origin != null) {
            pair(out, ORIGIN_BYTES, origin);
        }
        if (length > 0) {
            out.writeBytes(block, offset + LENGTH_BYTES, length - LENGTH_BYTES);
        }
        return end(out, start);
    }

    /** Returns whether a valid block begins with a time to live; the length 0 stands for no block. */
    public static boolean hasTtl(ByteBuf block, int offset, int length) {
        return ttlMillis(block, offset, length) > 0;
    }

    /** Returns the time to live that a valid block begins with, in milliseconds; 0 if it has none. */
    static long ttlMillis(ByteBuf block, int offset, int length) {
        int name = offset + LENGTH_BYTES;
        if (length < LENGTH_BYTES + PAIR_BYTES + TTL_BYTES.length
                || block.getByte(name) != TTL_BYTES.length
                || block.getInt(name + 1) != TTL_NAME) {
            return 0;
        }
        int value = valueOffset(name, TTL_BYTES.length);
        int digits = block.getUnsignedShort(value - Short.BYTES);
        long millis = 0;
        for (int at = value; at < value + Math.min(digits, TTL_DIGITS_MAX); at++) {
            int digit = block.getByte(at) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            millis = millis * 10 + digit;
        }
        return millis;
    }

    /** Begins a block; {@link #pair} and {@link #end} follow. Returns the index where the block starts. */
    public static int begin(ByteBuf out) {
        int start = out.writerIndex();
        out.writeShort(0);
        return start;
    }

    /** Appends a pair to the block. */
    public static void pair(ByteBuf out, byte[] name, byte[] value) {
        if (name.length > 0xff || value.length > BYTES_MAX) {
            throw new IllegalArgumentException(
                    "a header is too long: name " + name.length + " bytes, value " + value.length + " bytes");
        }
        out.writeByte(name.length).writeBytes(name).writeShort(value.length).writeBytes(value);
    }

    /** Completes the block that starts at {@code start}; returns false if it is too long. */
    public static boolean end(ByteBuf out, int start) {
        int length = out.writerIndex() - start - LENGTH_BYTES;
        out.setShort(start, length);
        return length <= BYTES_MAX;
    }
}
