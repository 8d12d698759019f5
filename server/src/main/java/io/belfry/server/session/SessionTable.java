package io.belfry.server.session;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A lane's sessions by slot. Owner: the lane's loop. A slot is reused with another generation. */
public final class SessionTable {
    private static final int SHIFT = 12;
    private static final int PAGE = 1 << SHIFT;

    private @Nullable Session[][] pages = new Session[0][];
    private int[] free = new int[16];
    private int freeCount;
    private int bound;
    private int size;
    private int generation;

    public int size() {
        return size;
    }

    /** Returns the upper bound of all slots. */
    public int bound() {
        return bound;
    }

    /** Returns a free slot; throws {@link IllegalStateException} beyond 16,777,215 sessions. */
    public int takeSlot() {
        if (freeCount == 0 && bound == Session.SLOTS) {
            throw new IllegalStateException("an event loop has " + Session.SLOTS + " sessions and cannot have more");
        }
        int slot = freeCount > 0 ? free[--freeCount] : bound++;
        if (slot >>> SHIFT >= pages.length) {
            pages = Arrays.copyOf(pages, (slot >>> SHIFT) + 1);
            pages[slot >>> SHIFT] = new Session[PAGE];
        }
        return slot;
    }

    public int nextGeneration() {
        generation = (generation + 1) & Integer.MAX_VALUE;
        return generation;
    }

    public void put(Session session) {
        pages[session.slot() >>> SHIFT][session.slot() & PAGE - 1] = session;
        size++;
    }

    public void remove(Session session) {
        pages[session.slot() >>> SHIFT][session.slot() & PAGE - 1] = null;
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, freeCount * 2);
        }
        free[freeCount++] = session.slot();
        size--;
    }

    public @Nullable Session at(int slot) {
        return pages[slot >>> SHIFT][slot & PAGE - 1];
    }

    /** Returns the session of a reference, or null if it is closed. */
    public @Nullable Session find(long reference) {
        Session session = at((int) reference);
        return session != null && session.generation() == (int) (reference >>> 32) ? session : null;
    }
}
