package io.belfry.server.disk;

import io.belfry.server.history.MappedFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The files of one log, by segment. A seam for tests, whose disks fill up and break. */
interface SegmentFiles {
    /** A file that is being written, from its beginning on. */
    interface Open extends AutoCloseable {
        /** Writes all of what remains in the buffer. */
        void write(ByteBuffer bytes, long at) throws IOException;

        void force() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** An empty file; what had this number before is gone. */
    Open create(long segment) throws IOException;

    /** The first bytes of a file. */
    MappedFile map(long segment, long bytes) throws IOException;

    void truncate(long segment, long bytes) throws IOException;

    void delete(long segment) throws IOException;
}
