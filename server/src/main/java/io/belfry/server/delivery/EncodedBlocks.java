package io.belfry.server.delivery;

import io.belfry.protocol.MessageView;
import io.belfry.protocol.WireFormat;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.LoopCounters;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The blocks of encoded messages of a lane, one for each format of its sessions. Owner: the lane's loop. */
final class EncodedBlocks {
    /** Where the bytes of one message are in each block. Immutable. */
    static final class Ranges {
        private final int[] starts = new int[WireFormat.IDS];
        private final int[] ends = new int[WireFormat.IDS];

        int start(int format) {
            return starts[format];
        }

        int end(int format) {
            return ends[format];
        }
    }

    private final LoopCounters counters;
    private final @Nullable MessageCompression compression;

    /** The blocks by the ids of their formats; only formats of sessions of this lane have one. */
    private final EncodedBlock[] blocks = new EncodedBlock[WireFormat.IDS];

    /** The same blocks without holes. */
    private EncodedBlock[] opened = {};

    EncodedBlocks(LoopCounters counters, @Nullable MessageCompression compression) {
        this.counters = counters;
        this.compression = compression;
    }

    /** Makes room for a format. */
    void open(WireFormat format) {
        EncodedBlock present = blocks[format.id()];
        if (present == null) {
            EncodedBlock added = new EncodedBlock(format);
            blocks[format.id()] = added;
            opened = Arrays.copyOf(opened, opened.length + 1);
            opened[opened.length - 1] = added;
        } else if (!present.format.equals(format)) {
            throw new IllegalArgumentException(
                    "wire formats " + present.format.text() + " and " + format.text() + " have the same id");
        }
    }

    EncodedBlock at(int format) {
        return blocks[format];
    }

    /** Appends the message to the block, compressed if the format says so and the message becomes smaller. */
    void encode(EncodedBlock block, long serial, MessageView message) {
        block.serial = serial;
        block.start = block.bytes.writerIndex();
        block.format.message(block.bytes, message);
        deflate(block, block.start, message);
        block.end = block.bytes.writerIndex();
    }

    /** Appends the message to the block, or this delta of it, unless the block has it; returns where its bytes begin. */
    int encode(EncodedBlock block, long serial, MessageView message, @Nullable MessageView delta) {
        if (delta == null) {
            if (block.serial != serial) {
                encode(block, serial, message);
            }
            return block.start;
        }
        if (block.deltaSerial != serial) {
            encodeDelta(block, serial, delta);
        }
        return block.deltaStart;
    }

    private void encodeDelta(EncodedBlock block, long serial, MessageView delta) {
        block.deltaSerial = serial;
        block.deltaStart = block.bytes.writerIndex();
        block.format.message(block.bytes, delta);
        deflate(block, block.deltaStart, delta);
        block.deltaEnd = block.bytes.writerIndex();
    }

    private void deflate(EncodedBlock block, int start, MessageView message) {
        if (compression != null && block.format.isDeflated()) {
            int saved = compression.deflate(block.bytes, start, message);
            if (saved > 0) {
                counters.increment(Counter.MESSAGES_COMPRESSED);
                counters.add(Counter.COMPRESSION_SAVED_BYTES, saved);
            }
        }
    }

    /** Appends the message to all blocks. */
    Ranges encode(long serial, MessageView message) {
        Ranges ranges = new Ranges();
        for (EncodedBlock block : opened) {
            if (block.serial != serial) {
                encode(block, serial, message);
            }
            ranges.starts[block.format.id()] = block.start;
            ranges.ends[block.format.id()] = block.end;
        }
        return ranges;
    }

    /** Appends a delta of the message to all blocks whose formats have deltas. */
    Ranges encodeDelta(long serial, MessageView delta) {
        Ranges ranges = new Ranges();
        for (EncodedBlock block : opened) {
            if (block.format.hasDeltas()) {
                encodeDelta(block, serial, delta);
                ranges.starts[block.format.id()] = block.deltaStart;
                ranges.ends[block.format.id()] = block.deltaEnd;
            }
        }
        return ranges;
    }

    /** Returns the number of bytes in the block that has most. */
    int fullest() {
        int bytes = 0;
        for (EncodedBlock block : opened) {
            bytes = Math.max(bytes, block.bytes.writerIndex());
        }
        return bytes;
    }

    void clear() {
        for (EncodedBlock block : opened) {
            block.clear();
        }
    }

    /** Frees the memory outside the heap. */
    void release() {
        for (EncodedBlock block : opened) {
            block.bytes.release();
        }
    }
}
