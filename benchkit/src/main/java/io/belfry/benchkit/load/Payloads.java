package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.Stamp;
import io.belfry.client.connection.Random32;
import java.nio.charset.StandardCharsets;

/**
 * Payloads of one size: a stamp, then random letters and digits, cut at a random place from a long random text, so that
 * no two are alike and compression finds nothing to save. Owner: one loop.
 */
final class Payloads {
    private static final byte[] ALPHANUMERIC =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);
    private static final int TEXT_BYTES = 1 << 18;

    private final byte[] text;
    private final byte[] payload;
    private final Random32 random;

    Payloads(int size, Random32 random) {
        if (size < Stamp.BYTES) {
            throw new IllegalArgumentException(
                    "MessageSize = " + size + " has no room for the stamp of " + Stamp.BYTES + " bytes");
        }
        this.random = random;
        this.payload = new byte[size];
        this.text = new byte[TEXT_BYTES + size];
        for (int i = 0; i < text.length; i++) {
            text[i] = ALPHANUMERIC[random.below(ALPHANUMERIC.length)];
        }
    }

    /** Where each payload is made. */
    byte[] bytes() {
        return payload;
    }

    /** Makes the next payload. */
    void next(long intendedNanos, int publisher, long sequence) {
        System.arraycopy(text, random.below(TEXT_BYTES), payload, 0, payload.length);
        Stamp.write(payload, intendedNanos, publisher, sequence);
    }
}
