package io.belfry.twin;

import java.io.IOException;

/** Keeps messages of numbered subjects, each with a seq that grows by one within its subject. Owner: one thread. */
interface Store extends AutoCloseable {
    /** Takes messages out of a store one by one. */
    interface Reader {
        void onMessage(long seq, byte[] data);
    }

    /** Keeps a message, perhaps not before {@link #sync}. The data is copied. */
    void append(int subject, long seq, byte[] data) throws IOException;

    /** Returns when everything appended so far is kept as the store keeps things: on disk where there is one. */
    void sync() throws IOException;

    /** Gives the messages with a seq above this one, oldest first; of more than {@code most} the latest. */
    void read(int subject, long afterSeq, int most, Reader reader) throws IOException;

    @Override
    void close() throws IOException;
}
