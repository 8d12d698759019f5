package io.belfry.server.delivery;

import io.belfry.server.session.Session;
import java.util.Arrays;

/**
 * What sessions get at the end of the turn: for each a range of the encoded bytes of its format, or bytes that its outbound has
 * staged. A session has the number of its entry ({@link Session#pending}); 0 means that it gets nothing. Owner: the lane's loop.
 *
 * <p>So a session that gets nothing takes no memory for it, and the entries of a turn are next to each other.
 */
final class PendingWrites {
    /** The end of an entry whose bytes are staged in the outbound. */
    static final int STAGED = -1;

    /** Like {@link #STAGED}, with a message among the bytes that must not be held back. */
    static final int STAGED_TO_GO = -2;

    private static final int INITIAL = 256;

    /** Entries beyond which memory is freed when no session gets anything. */
    private static final int KEPT = 1 << 16;

    // The ints of an entry. One array, so that an entry is in one cache line.
    private static final int START = 0;
    private static final int END = 1;
    private static final int COUNT = 2;
    private static final int SHIFT = 2;

    private final EncodedBlocks blocks;

    /** Entry 0 is that of sessions that get nothing, with zeros. A free entry has the number of the next free one as its start. */
    private int[] entries = new int[INITIAL << SHIFT];

    private int firstFree;
    private int bound = 1;
    private int size;

    PendingWrites(EncodedBlocks blocks) {
        this.blocks = blocks;
    }

    int startAt(int at) {
        return entries[(at << SHIFT) + START];
    }

    int endAt(int at) {
        return entries[(at << SHIFT) + END];
    }

    int countAt(int at) {
        return entries[(at << SHIFT) + COUNT];
    }

    int start(Session session) {
        return startAt(session.pending());
    }

    /** Returns the end of the session's range, or one of the constants, or 0 if it gets nothing. */
    int end(Session session) {
        return endAt(session.pending());
    }

    /** Returns the number of messages among the session's bytes. */
    int count(Session session) {
        return countAt(session.pending());
    }

    /** Returns the number of the session's bytes. */
    int bytes(Session session) {
        int end = end(session);
        return end < 0 ? session.outbound().queuedBytes() : end - start(session);
    }

    /**
     * Adds a message, which is this range of the bytes of the session's format. Returns the end of what the session had: 0 for
     * nothing, {@code start} if the range was extended; otherwise all bytes of the session are staged now.
     */
    int append(Session session, int start, int end) {
        int at = session.pending();
        if (at == 0) {
            session.pending(take(start, end, 1));
            return 0;
        }
        int entry = at << SHIFT;
        int before = entries[entry + END];
        if (before == start) {
            entries[entry + END] = end;
            entries[entry + COUNT]++;
        } else {
            stage(session);
            set(session, Math.min(before, STAGED), count(session) + 1);
            session.outbound().stage(blocks.at(session.format()).bytes, start, end - start);
        }
        return before;
    }

    /** Copies the session's range, if it has one, into its own staged bytes; the caller then sets the end or removes the entry. */
    void stage(Session session) {
        int end = end(session);
        if (end > 0) {
            int start = start(session);
            session.outbound().stage(blocks.at(session.format()).bytes, start, end - start);
        }
    }

    /** Sets that the session's bytes are staged; {@code end} is one of the constants. */
    void set(Session session, int end, int count) {
        int at = session.pending();
        if (at == 0) {
            session.pending(take(0, end, count));
            return;
        }
        int entry = at << SHIFT;
        entries[entry + START] = 0;
        entries[entry + END] = end;
        entries[entry + COUNT] = count;
    }

    private int take(int start, int end, int count) {
        int at = firstFree;
        if (at == 0) {
            at = bound++;
            if (at << SHIFT == entries.length) {
                entries = Arrays.copyOf(entries, entries.length * 2);
            }
        } else {
            firstFree = entries[(at << SHIFT) + START];
        }
        size++;
        int entry = at << SHIFT;
        entries[entry + START] = start;
        entries[entry + END] = end;
        entries[entry + COUNT] = count;
        return at;
    }

    /** Removes what the session gets. */
    void remove(Session session) {
        int at = session.pending();
        if (at == 0) {
            return;
        }
        session.pending(0);
        if (--size == 0) {
            clear();
        } else {
            entries[(at << SHIFT) + START] = firstFree;
            firstFree = at;
        }
    }

    /** Lets the next entries begin at the first one again, so that they are in order. */
    private void clear() {
        firstFree = 0;
        bound = 1;
        if (entries.length > KEPT << SHIFT) {
            entries = new int[INITIAL << SHIFT];
        }
    }
}
