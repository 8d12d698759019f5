package io.belfry.server.history;

import io.belfry.protocol.MessageHeaders;
import io.netty.buffer.ByteBuf;

/**
 * The offsets of a record's fields, and its flags. Constants and pure functions.
 *
 * <pre>
 *   0        4        8            14  15  16                24                32                40
 *   +--------+--------+------------+---+---+-----------------+-----------------+-----------------+-----
 *   | subject|  data  |    time    |id |fl.|       seq       |  previous + 1   |    next + 1     | ...
 *   +--------+--------+------------+---+---+-----------------+-----------------+-----------------+-----
 *   40
 *   +------------------+--------------------+
 *   | message id       | data               |  padded to 8
 *   +------------------+--------------------+
 * </pre>
 *
 * <p>The data of a message with headers begins with their block ({@code MessageHeaders}), which starts with its length.
 *
 * <p>In a log on disk the link to the next record is replaced by a checksum (four bytes) and the length of the subject's
 * name (one byte), and the name follows the data.
 */
final class RecordLayout {
    static final int DATA_LENGTH = 4;
    static final int META = 8;
    static final int ID_LENGTH = 14;
    static final int FLAGS = 15;
    static final int SEQ = 16;
    static final int PREVIOUS = 24;
    static final int NEXT = 32;
    static final int CHECKSUM = 32;
    static final int NAME_LENGTH = 36;
    static final int HEADER = 40;

    /** The time in ms is in the upper bits of {@link #META}. */
    static final int TIME_SHIFT = 16;

    static final int FLAG_RETAINED = 1;
    static final int FLAG_DEAD = 2;
    static final int FLAG_COPY = 4;
    static final int FLAG_MARK = 8;

    /** The record is a copy at the head of an older one, so its place in the log is not that of its publish. */
    static final int FLAG_MOVED = 16;

    /** The data begins with the block of the message's headers. */
    static final int FLAG_HEADERS = 32;

    private RecordLayout() {}

    /** Returns the length of the block of headers of the record at this index; 0 for a record without headers. */
    static int headersLength(ByteBuf bytes, int record) {
        int content = record + HEADER + bytes.getUnsignedByte(record + ID_LENGTH);
        return (bytes.getByte(record + FLAGS) & FLAG_HEADERS) == 0
                ? 0
                : MessageHeaders.LENGTH_BYTES + bytes.getUnsignedShort(content);
    }
}
