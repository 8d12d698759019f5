package io.belfry.attack.wire;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The first words of a TLS client, whole and spoilt. Pure. */
public final class TlsHello {
    private static final byte HANDSHAKE = 22;
    private static final byte CLIENT_HELLO = 1;
    private static final int RECORD_HEAD = 5;

    private TlsHello() {}

    /** As the JDK's client says it. */
    public static byte[] bytes() throws IOException {
        TlsLayer layer = new TlsLayer(Certificates.trustingAny());
        ByteBuffer hello = layer.hello();
        byte[] bytes = new byte[hello.remaining()];
        hello.get(bytes);
        return bytes;
    }

    /** The first record of a hello that announces 16 MB. */
    public static byte[] oversized() {
        return record(new byte[] {CLIENT_HELLO, (byte) 0xFF, (byte) 0xFF, (byte) 0xFF, 3, 3});
    }

    /** A further record of a handshake message that does not end. */
    public static byte[] more(int bytes) {
        return record(new byte[bytes]);
    }

    private static byte[] record(byte[] payload) {
        return ByteBuffer.allocate(RECORD_HEAD + payload.length)
                .put(HANDSHAKE)
                .put((byte) 3)
                .put((byte) 3)
                .putShort((short) payload.length)
                .put(payload)
                .array();
    }

    /** A record longer than any may be. */
    public static byte[] longRecord() {
        return new byte[] {HANDSHAKE, 3, 3, (byte) 0xFF, (byte) 0xFF, CLIENT_HELLO};
    }
}
