package io.belfry.server.edge;

import io.belfry.protocol.PatternPosition;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Encodes places, one for each log of the node, as a position of patterns: a version, the epoch, the generation of the logs,
 * their number and the places. All but the version are numbers of seven bits per byte, lowest first. Immutable.
 */
final class PatternPlaces {
    private static final int VERSION = 1;
    private static final int BITS = 7;

    private final long epoch;
    private final int generation;
    private final int logs;

    PatternPlaces(long epoch, int generation, int logs) {
        this.epoch = epoch;
        this.generation = generation;
        this.logs = logs;
    }

    /** Returns the position of these places, or null if it would exceed {@link PatternPosition#MAX_BYTES}. */
    @Nullable
    PatternPosition encode(long[] places) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(VERSION);
        write(out, epoch);
        write(out, generation);
        write(out, logs);
        for (long each : places) {
            write(out, each);
        }
        return PatternPosition.of(ByteBufUtil.getBytes(out));
    }

    private static void write(ByteBuf out, long number) {
        long rest = number;
        for (; rest >>> BITS != 0; rest >>>= BITS) {
            out.writeByte((int) (rest & 0x7F) | 0x80);
        }
        out.writeByte((int) rest);
    }

    /** Returns the places of a position, or null if it is not one of this history. */
    long @Nullable [] decode(PatternPosition position) {
        ByteBuf in = Unpooled.wrappedBuffer(position.bytes());
        try {
            boolean known = in.readByte() == VERSION && read(in) == epoch && read(in) == generation && read(in) == logs;
            if (!known) {
                return null;
            }
            long[] places = new long[logs];
            for (int log = 0; log < logs; log++) {
                places[log] = read(in);
                if (places[log] < 0) {
                    return null;
                }
            }
            return in.isReadable() ? null : places;
        } catch (IndexOutOfBoundsException tooShort) {
            return null;
        }
    }

    private static long read(ByteBuf in) {
        long number = 0;
        for (int shift = 0; shift < Long.SIZE; shift += BITS) {
            byte next = in.readByte();
            number |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return number;
            }
        }
        return -1;
    }
}
