package io.belfry.server.codec;

import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * Parses the header of the PROXY protocol, version 2, with which a proxy reports the address of its client.
 * <a href="https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt">Its specification</a>, section 2.2:
 *
 * <pre>
 *   0                12       13      14        16
 *   | signature      | ver cmd | fam   | length  | source address, destination address, ports, extensions
 * </pre>
 *
 * Pure. Rejects version 1, which is text, and all address families except TCP over IPv4 and IPv6.
 */
public final class ProxyHeader {
    private static final byte[] SIGNATURE = {13, 10, 13, 10, 0, 13, 10, 'Q', 'U', 'I', 'T', 10};
    private static final int FIXED_BYTES = 16;

    /**
     * Maximum length: addresses take at most 36 bytes; extensions such as a certificate's name take some hundred
     * bytes.
     */
    private static final int LENGTH_MAX = 4096;

    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int TCP_4 = 0x11;
    private static final int TCP_6 = 0x21;
    private static final int PORTS_BYTES = 4;

    /** The result of reading the bytes received so far. */
    public sealed interface Result {
        /** The header is incomplete. */
        record NeedMore() implements Result {}

        /** The bytes are not an acceptable header. */
        record Malformed(String why) implements Result {}

        /** The header is complete; the client is null if the proxy connected for itself, as for a health check. */
        record Whole(@Nullable InetAddress client) implements Result {}
    }

    private static final Result NEED_MORE = new Result.NeedMore();

    private ProxyHeader() {}

    /** Consumes a complete header; leaves the bytes unread if the header is incomplete or malformed. */
    public static Result read(ByteBuf in) {
        int start = in.readerIndex();
        int there = in.readableBytes();
        for (int i = 0; i < Math.min(there, SIGNATURE.length); i++) {
            if (in.getByte(start + i) != SIGNATURE[i]) {
                return new Result.Malformed("the connection does not begin with a PROXY header of version 2");
            }
        }
        if (there < FIXED_BYTES) {
            return NEED_MORE;
        }
        int length = in.getUnsignedShort(start + 14);
        if (length > LENGTH_MAX) {
            return new Result.Malformed("the PROXY header exceeds " + LENGTH_MAX + " bytes");
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
            return new Result.Malformed("the PROXY header is not for TCP over IPv4 or IPv6");
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
