package io.belfry.server.subject;

/** What a lane stores of the subjects whose home it is. Owner: the lane's loop. */
public interface SubjectHome {
    /** Called when the lane adds this subject. */
    void onCreated(int subject);

    /** Returns whether messages of the subject are stored, so that it must be kept. */
    boolean keeps(int subject);

    /** Called when the lane removes this subject, of which nothing is stored. */
    void onForgotten(int subject);
}
