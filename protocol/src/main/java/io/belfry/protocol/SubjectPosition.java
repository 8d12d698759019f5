package io.belfry.protocol;

import java.util.Arrays;

/** A position in the order of one subject. Immutable; the receiver may keep the array but not change it. */
public final class SubjectPosition {
    private final byte[] subject;
    private final Position at;

    /** Creates a pair of a valid plain subject and a position in it. */
    public SubjectPosition(byte[] subject, Position at) {
        this.subject = subject;
        this.at = at;
    }

    public byte[] subject() {
        return subject;
    }

    public Position at() {
        return at;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SubjectPosition that && Arrays.equals(subject, that.subject) && at.equals(that.at);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(subject) + at.hashCode();
    }
}
