package io.belfry.server.history;

import io.belfry.server.subject.SubjectKey;

/** The subjects of a lane while it starts. Owner: whoever starts it. */
public interface KnownSubjects {
    /** The key to look names up with. */
    SubjectKey key();

    /** The id of the subject in the key, or -1. */
    int find();

    boolean has(int id);

    /** The subject in the key has this id, which is free. */
    void restore(int id);

    void remove(int id);

    /** One more than the highest id. */
    int idBound();
}
