package io.belfry.server.disk;

import io.belfry.server.history.MappedFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The files of one log, by segment. Tests implement it with disks that fill up or fail. */
interface SegmentFiles {
    /** A file that is written from its beginning. */
    interface Open extends AutoCloseable {
        /** Writes all remaining bytes of the buffer. */
        void write(ByteBuffer bytes, long at) throws IOException;

        void force() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Creates an empty file and deletes an earlier one of this number. */
    Open create(long segment) throws IOException;

    /** Maps the first bytes of a file. */
    MappedFile map(long segment, long bytes) throws IOException;

    void truncate(long segment, long bytes) throws IOException;

    void delete(long segment) throws IOException;
}
