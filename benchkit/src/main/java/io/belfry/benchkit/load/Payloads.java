package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
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
    private final byte[] stamp = new byte[Stamp.BYTES];
    private final Random32 random;

    Payloads(int size, Random32 random) {
        if (size < Stamp.BYTES) {
            throw new IllegalArgumentException(
                    "MessageSize = " + size + " has no room for the stamp of " + Stamp.BYTES + " bytes");
        }
        this.random = random;
        this.payload = new byte[size];
        clock(ClockOffset.UNKNOWN);
        this.text = new byte[TEXT_BYTES + size];
        for (int i = 0; i < text.length; i++) {
            text[i] = ALPHANUMERIC[random.below(ALPHANUMERIC.length)];
        }
    }

    /** Where each payload is made. */
    byte[] bytes() {
        return payload;
    }

    /** What is known of this process's clock, for the payloads from now on. */
    void clock(ClockOffset offset) {
        Stamp.writeClock(stamp, offset);
    }

    /** Makes the next payload. */
    void next(long intendedNanos, int publisher, long sequence) {
        Stamp.write(stamp, intendedNanos, publisher, sequence);
        fill();
    }

    /** Makes an end mark. */
    void end(long startNanos, int publisher, long lastSequence) {
        Stamp.writeEnd(stamp, startNanos, publisher, lastSequence);
        fill();
    }

    private void fill() {
        System.arraycopy(stamp, 0, payload, 0, Stamp.BYTES);
        int rest = payload.length - Stamp.BYTES;
        System.arraycopy(text, random.below(TEXT_BYTES), payload, Stamp.BYTES, rest);
    }
}
