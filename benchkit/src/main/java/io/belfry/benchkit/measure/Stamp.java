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
    private static final int TIME_AT = 1;
    private static final int TIME_DIGITS = 13;
    private static final int PUBLISHER_AT = TIME_AT + TIME_DIGITS;
    private static final int PUBLISHER_DIGITS = 6;
    private static final int SEQUENCE_AT = PUBLISHER_AT + PUBLISHER_DIGITS;
    private static final int SEQUENCE_DIGITS = 9;
    private static final int OFFSET_AT = SEQUENCE_AT + SEQUENCE_DIGITS;
    private static final int OFFSET_DIGITS = 9;
    private static final int UNCERTAINTY_AT = OFFSET_AT + OFFSET_DIGITS;
    private static final int UNCERTAINTY_DIGITS = 5;
    private static final int MACHINE_AT = UNCERTAINTY_AT + UNCERTAINTY_DIGITS;
    private static final int MACHINE_DIGITS = 6;

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
        writeNumber(payload, TIME_AT, TIME_DIGITS, nanos);
        writeNumber(payload, PUBLISHER_AT, PUBLISHER_DIGITS, publisher);
        writeNumber(payload, SEQUENCE_AT, SEQUENCE_DIGITS, sequence);
    }

    /** Writes the clock fields of a stamp. */
    public static void writeClock(byte[] payload, ClockOffset clock) {
        long biased = Math.clamp(clock.micros() + OFFSET_BIAS, 0, 2 * OFFSET_BIAS - 1);
        writeNumber(payload, OFFSET_AT, OFFSET_DIGITS, biased);
        writeNumber(
                payload,
                UNCERTAINTY_AT,
                UNCERTAINTY_DIGITS,
                Math.min(clock.uncertaintyMicros(), ClockOffset.UNCERTAINTY_MAX));
        writeNumber(payload, MACHINE_AT, MACHINE_DIGITS, clock.machine());
    }

    /** The intended send time, or the start time of an end mark; {@link #NO_STAMP} if the bytes are not a stamp. */
    public static long intendedNanos(byte[] payload) {
        int bad = payload[0] == MESSAGE || payload[0] == END ? 0 : -1;
        for (int i = TIME_AT; i < OFFSET_AT; i++) {
            bad |= VALUES[payload[i] & 0xff];
        }
        return bad < 0 ? NO_STAMP : number(payload, TIME_AT, TIME_DIGITS);
    }

    /** Whether a stamp is an end mark; check {@link #intendedNanos} first. */
    public static boolean isEnd(byte[] payload) {
        return payload[0] == END;
    }

    /** The number of the publisher; check {@link #intendedNanos} first. */
    public static int publisher(byte[] payload) {
        return (int) number(payload, PUBLISHER_AT, PUBLISHER_DIGITS);
    }

    /** The number of the message in its stream; check {@link #intendedNanos} first. */
    public static long sequence(byte[] payload) {
        return number(payload, SEQUENCE_AT, SEQUENCE_DIGITS);
    }

    /** The publisher's clock offset, or {@link ClockOffset#UNKNOWN} if the bytes are invalid. */
    public static ClockOffset clock(byte[] payload) {
        int bad = 0;
        for (int i = OFFSET_AT; i < BYTES; i++) {
            bad |= VALUES[payload[i] & 0xff];
        }
        return bad < 0
                ? ClockOffset.UNKNOWN
                : new ClockOffset(
                        number(payload, OFFSET_AT, OFFSET_DIGITS) - OFFSET_BIAS,
                        number(payload, UNCERTAINTY_AT, UNCERTAINTY_DIGITS),
                        (int) number(payload, MACHINE_AT, MACHINE_DIGITS));
    }

    private static void writeNumber(byte[] to, int at, int digits, long value) {
        for (int i = at + digits - 1; i >= at; i--) {
            to[i] = DIGITS[(int) (value & 31)];
            value >>>= 5;
        }
    }

    private static long number(byte[] from, int at, int digits) {
        long value = 0;
        for (int i = at; i < at + digits; i++) {
            value = (value << 5) | VALUES[from[i] & 0xff];
        }
        return value;
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
