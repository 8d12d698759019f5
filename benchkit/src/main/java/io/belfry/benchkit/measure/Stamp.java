package io.belfry.benchkit.measure;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads and writes stamps, the first {@link #BYTES} bytes of a measured payload: the intended send time, the publisher,
 * the number of the message in its stream, beginning at 1, and the publisher's clock offset. Pure functions.
 *
 * <pre>
 * 0    1                   14            20              29             38            43           49
 * +----+-------------------+-------------+---------------+--------------+-------------+------------+------------
 * | B  | intended, ns 1970 | publisher   | sequence      | clock offset | uncertainty | machine    | random ...
 * +----+-------------------+-------------+---------------+--------------+-------------+------------+------------
 * </pre>
 *
 * <p>{@code E} instead of {@code B} is an end mark: the publisher sends this subject no more messages, the sequence is that
 * of its last message, and the time is the start of the publisher.
 *
 * <p>Numbers are in base 32 with the digits {@code 0-9a-v}, most significant first, so that a payload is text that needs no
 * escaping in either encoding.
 */
public final class Stamp {
    public static final int BYTES = 49;
    public static final int PUBLISHER_MAX = (1 << 30) - 1;
    public static final long SEQUENCE_MAX = (1L << 45) - 1;
    /** Result of {@link #intendedNanos} for bytes that are not a stamp. */
    public static final long NO_STAMP = -1;

    private static final byte MESSAGE = 'B';
    private static final byte END = 'E';
    private static final Field TIME = new Field(1, 13);
    private static final Field PUBLISHER = new Field(TIME.end(), 6);
    private static final Field SEQUENCE = new Field(PUBLISHER.end(), 9);
    private static final Field OFFSET = new Field(SEQUENCE.end(), 9);
    private static final Field UNCERTAINTY = new Field(OFFSET.end(), 5);
    private static final Field MACHINE = new Field(UNCERTAINTY.end(), 6);

    /** Added to the offset, because it may be negative. */
    private static final long OFFSET_BIAS = 1L << 44;

    private static final byte[] DIGITS = "0123456789abcdefghijklmnopqrstuv".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] VALUES = values();

    private Stamp() {}

    /** Writes the stamp of a message, without the clock fields, over the first bytes of {@code payload}. */
    public static void write(byte[] payload, long intendedNanos, int publisher, long sequence) {
        write(payload, MESSAGE, intendedNanos, publisher, sequence);
    }

    /** Writes an end mark, without the clock fields, over the first bytes of {@code payload}. */
    public static void writeEnd(byte[] payload, long startNanos, int publisher, long lastSequence) {
        write(payload, END, startNanos, publisher, lastSequence);
    }

    private static void write(byte[] payload, byte mark, long nanos, int publisher, long sequence) {
        payload[0] = mark;
        TIME.write(payload, nanos);
        PUBLISHER.write(payload, publisher);
        SEQUENCE.write(payload, sequence);
    }

    /** Writes the clock fields of a stamp. */
    public static void writeClock(byte[] payload, ClockOffset clock) {
        OFFSET.write(payload, Math.clamp(clock.micros() + OFFSET_BIAS, 0, 2 * OFFSET_BIAS - 1));
        UNCERTAINTY.write(payload, Math.min(clock.uncertaintyMicros(), ClockOffset.UNCERTAINTY_MAX));
        MACHINE.write(payload, clock.machine());
    }

    /** The intended send time, or the start time of an end mark; {@link #NO_STAMP} if the bytes are not a stamp. */
    public static long intendedNanos(byte[] payload) {
        boolean marked = payload[0] == MESSAGE || payload[0] == END;
        return marked && areDigits(payload, TIME.at, OFFSET.at) ? TIME.read(payload) : NO_STAMP;
    }

    /** Whether a stamp is an end mark; check {@link #intendedNanos} first. */
    public static boolean isEnd(byte[] payload) {
        return payload[0] == END;
    }

    /** The number of the publisher; check {@link #intendedNanos} first. */
    public static int publisher(byte[] payload) {
        return (int) PUBLISHER.read(payload);
    }

    /** The number of the message in its stream; check {@link #intendedNanos} first. */
    public static long sequence(byte[] payload) {
        return SEQUENCE.read(payload);
    }

    /** The publisher's clock offset, or {@link ClockOffset#UNKNOWN} if the bytes are invalid. */
    public static ClockOffset clock(byte[] payload) {
        return areDigits(payload, OFFSET.at, BYTES)
                ? new ClockOffset(
                        OFFSET.read(payload) - OFFSET_BIAS, UNCERTAINTY.read(payload), (int) MACHINE.read(payload))
                : ClockOffset.UNKNOWN;
    }

    private static boolean areDigits(byte[] payload, int from, int end) {
        int bad = 0;
        for (int i = from; i < end; i++) {
            bad |= VALUES[payload[i] & 0xff];
        }
        return bad >= 0;
    }

    /** A number in the stamp: the position of its first digit, and the count of its digits. */
    private record Field(int at, int digits) {
        int end() {
            return at + digits;
        }

        void write(byte[] to, long number) {
            long value = number;
            for (int i = end() - 1; i >= at; i--) {
                to[i] = DIGITS[(int) (value & 31)];
                value >>>= 5;
            }
        }

        long read(byte[] from) {
            long value = 0;
            for (int i = at; i < end(); i++) {
                value = (value << 5) | VALUES[from[i] & 0xff];
            }
            return value;
        }
    }

    private static byte[] values() {
        byte[] values = new byte[256];
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < DIGITS.length; i++) {
            values[DIGITS[i]] = (byte) i;
        }
        return values;
    }
}
