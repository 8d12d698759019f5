package io.belfry.server.history;

import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;

/** The table of subjects while a stored history restores them, each under its earlier id. Owner: the starting thread. */
public final class KnownSubjects {
    private final SubjectTable table;
    private final SubjectKey key;

    public KnownSubjects(SubjectTable table, SubjectKey key) {
        this.table = table;
        this.key = key;
    }

    /** Returns the key in which names are looked up. */
    SubjectKey key() {
        return key;
    }

    /** Returns the id of the subject in the key, or -1. */
    int find() {
        return table.find(key.bytes(), key.length(), key.hash());
    }

    public boolean has(int id) {
        return table.has(id);
    }

    /** Assigns this free id to the subject in the key. */
    void restore(int id) {
        table.restore(id, key.bytes(), key.length(), key.hash());
    }

    void remove(int id) {
        table.unrestore(id);
    }

    /** Returns one more than the highest id. */
    public int idBound() {
        return table.idBound();
    }
}
