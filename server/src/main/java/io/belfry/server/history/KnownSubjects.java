package io.belfry.server.history;

import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;

/** A table of subjects while a stored history brings them back, each under the id it had. Owner: whoever starts it. */
public final class KnownSubjects {
    private final SubjectTable table;
    private final SubjectKey key;

    public KnownSubjects(SubjectTable table, SubjectKey key) {
        this.table = table;
        this.key = key;
    }

    /** The key to look names up with. */
    SubjectKey key() {
        return key;
    }

    /** The id of the subject in the key, or -1. */
    int find() {
        return table.find(key.bytes(), key.length(), key.hash());
    }

    public boolean has(int id) {
        return table.has(id);
    }

    /** The subject in the key has this id, which is free. */
    void restore(int id) {
        table.restore(id, key.bytes(), key.length(), key.hash());
    }

    void remove(int id) {
        table.unrestore(id);
    }

    /** One more than the highest id. */
    public int idBound() {
        return table.idBound();
    }
}
