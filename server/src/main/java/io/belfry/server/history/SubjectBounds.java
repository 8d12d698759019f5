package io.belfry.server.history;

/** The bounds of each subject's history; they may change at any time. Owner: the lane's loop. */
public interface SubjectBounds {
    /** Returns whether any subject has a history. */
    boolean keeps();

    /** Returns the number of messages that can be read. */
    int size(int subject);

    /** Returns the maximum age of a message that can be read. */
    long expireMillis(int subject);

    /** Returns the maximum bytes of the messages that can be read, headers included; {@code Long.MAX_VALUE} for no limit. */
    long bytes(int subject);
}
