package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * The header of the PROXY protocol, version 2: what a proxy says of its client before it passes on the first byte.
 * <a href="https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt">Its specification</a>, section 2.2:
 *
 * <pre>
 *   0                12       13      14        16
 *   | signature      | ver cmd | fam   | length  | source address, destination address, ports, extensions
 * </pre>
 *
 * Pure. Version 1, which is text, and every family but TCP over IPv4 and IPv6 are refused.
 */
public final class ProxyHeader {
    private static final byte[] SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
    private static final int FIXED_BYTES = 16;

    /** Addresses take 36 bytes at most, extensions such as the name in a client's certificate some hundred. */
    private static final int LENGTH_MAX = 4096;

    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int TCP_4 = 0x11;
    private static final int TCP_6 = 0x21;
    private static final int PORTS_BYTES = 4;

    /** What the bytes so far are. */
    public sealed interface Result {
        /** The beginning of a header. */
        record NeedMore() implements Result {}

        /** No header that is taken. */
        record Malformed(String why) implements Result {}

        /** A whole one; without a client where the proxy comes for itself, to see whether anybody is there. */
        record Whole(@Nullable InetAddress client) implements Result {}
    }

    private static final Result NEED_MORE = new Result.NeedMore();

    private ProxyHeader() {}

    /** Reads a header past; leaves bytes that are no whole one unread. */
    public static Result read(ByteBuf in) {
        int start = in.readerIndex();
        int there = in.readableBytes();
        for (int i = 0; i < Math.min(there, SIGNATURE.length); i++) {
            if (in.getByte(start + i) != SIGNATURE[i]) {
                return new Result.Malformed("no PROXY header of version 2");
            }
        }
        if (there < FIXED_BYTES) {
            return NEED_MORE;
        }
        int length = in.getUnsignedShort(start + 14);
        if (length > LENGTH_MAX) {
            return new Result.Malformed("a PROXY header of more than " + LENGTH_MAX + " bytes");
        }
        if (there < FIXED_BYTES + length) {
            return NEED_MORE;
        }
        in.skipBytes(FIXED_BYTES + length);
        return content(in, start, length);
    }

    private static Result content(ByteBuf in, int start, int length) {
        int command = in.getUnsignedByte(start + 12);
        if (command == LOCAL) {
            return new Result.Whole(null);
        }
        int family = in.getUnsignedByte(start + 13);
        int addressBytes = family == TCP_4 ? 4 : family == TCP_6 ? 16 : 0;
        if (command != PROXY || addressBytes == 0 || length < 2 * addressBytes + PORTS_BYTES) {
            return new Result.Malformed("a PROXY header that is not for TCP over IPv4 or IPv6");
        }
        byte[] source = new byte[addressBytes];
        in.getBytes(start + FIXED_BYTES, source);
        try {
            return new Result.Whole(InetAddress.getByAddress(source));
        } catch (UnknownHostException wrongLength) {
            throw new IllegalStateException(wrongLength);
        }
    }
}
