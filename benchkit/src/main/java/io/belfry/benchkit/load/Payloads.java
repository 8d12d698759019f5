package io.belfry.benchkit.load;

import io.belfry.benchkit.measure.ClockOffset;
import io.belfry.benchkit.measure.Stamp;
import io.belfry.client.connection.Random32;
import java.nio.charset.StandardCharsets;

/**
 * Makes payloads of one size: a stamp, then letters and digits from a random place of a long random text, so that payloads
 * differ and do not compress. Owner: one loop.
 */
final class Payloads {
    private static final byte[] ALPHANUMERIC =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".getBytes(StandardCharsets.US_ASCII);
    private static final int TEXT_BYTES = 1 << 18;

    private final byte[] text;
    private final byte[] payload;
    private final byte[] stamp = new byte[Stamp.BYTES];
    private final Random32 random;

    /** {@code size} is at least that of a stamp. */
    Payloads(int size, Random32 random) {
        this.random = random;
        this.payload = new byte[size];
        clock(ClockOffset.UNKNOWN);
        this.text = new byte[TEXT_BYTES + size];
        for (int i = 0; i < text.length; i++) {
            text[i] = ALPHANUMERIC[random.below(ALPHANUMERIC.length)];
        }
    }

    /** The array that holds the current payload. */
    byte[] bytes() {
        return payload;
    }

    /** Sets the clock offset that the following payloads carry. */
    void clock(ClockOffset offset) {
        Stamp.writeClock(stamp, offset);
    }

    /** Makes the payload of the next message. */
    void next(long intendedNanos, int publisher, long sequence) {
        Stamp.write(stamp, intendedNanos, publisher, sequence);
        fill();
    }

    /** Makes the payload of an end mark. */
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
