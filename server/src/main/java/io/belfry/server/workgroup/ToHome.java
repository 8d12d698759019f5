package io.belfry.server.workgroup;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.server.broker.Publication;
import io.belfry.server.subject.SubjectKey;
import org.jspecify.annotations.Nullable;

/**
 * What an edge asks of the lane that owns a subject. On the same lane a call is a call; to another lane it is written into
 * a batch. Arguments are valid during the call only.
 */
interface ToHome {
    void publish(SubjectKey subject, Publication publication);

    /**
     * A session wants the past of a subject, as {@code from} or {@code history} say, and with {@code follow} what comes.
     * Answered with joined, then gap and messages, then readDone.
     */
    void join(
            int edge,
            long session,
            int ticket,
            long commandId,
            SubjectKey subject,
            @Nullable Position from,
            int history,
            boolean follow);

    /** An edge wants what comes of this subject; the join of who wants it follows later. */
    void follow(int edge, SubjectKey subject);

    /** A session goes on reading after a seq. Answered with a gap where there is one, messages and readDone. */
    void read(int edge, long session, int ticket, SubjectKey subject, long afterSeq, MessageType type, Cut cut);

    /** The edge has no subscriber of this subject any more. */
    void leave(int edge, SubjectKey subject);

    /** The edge has its first subscriber of this pattern. */
    void joinPattern(int edge, byte[] pattern);

    /**
     * A session wants the retained messages that match, from a cursor on that begins at 0. Answered with some of them and
     * patternRead.
     */
    void readPattern(int edge, long session, int ticket, byte[] pattern, long cursor);

    /** The edge has no subscriber of this pattern any more. */
    void leavePattern(int edge, byte[] pattern);

    void watch(int edge, long session, long commandId, SubjectKey subject);

    void unwatch(int edge, long session, SubjectKey subject);
}
