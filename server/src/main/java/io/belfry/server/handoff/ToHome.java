package io.belfry.server.handoff;

import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import io.belfry.server.broker.Publication;
import io.belfry.server.subject.SubjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Calls of an edge to the lane that owns a subject. On the same lane they are plain calls; to another lane they are written
 * into a batch. Arguments are valid during the call only.
 */
public interface ToHome {
    /** Bytes of past messages sent in answer to one read; the edge reads again when its session has taken them. */
    int READ_BYTES = 64 * 1024;

    void publish(SubjectKey subject, Publication publication);

    /**
     * Requests past messages of a subject, as {@code from} or {@code history} say, and with {@code follow} the live ones.
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

    /** Registers the edge's interest in a subject; the join of the session follows later. */
    void follow(int edge, SubjectKey subject);

    /** Continues reading after a seq. Answered with a gap if messages are gone, messages and readDone. */
    void read(
            int edge, long session, int ticket, SubjectKey subject, long afterSeq, MessageType type, CatchUpBounds cut);

    /** Ends the interest of an edge that has no subscriber of this subject any more. */
    void leave(int edge, SubjectKey subject);

    /** Registers the edge's interest in a pattern, with its first subscriber. */
    void joinPattern(int edge, byte[] pattern);

    /**
     * Requests retained messages that match a pattern, from a cursor that begins at 0. Answered with some of them and
     * patternRead.
     */
    void readPattern(int edge, long session, int ticket, byte[] pattern, long cursor);

    /**
     * Requests the messages that match a pattern and were published after these places, from a cursor that begins at 0.
     * Answered with patternGap if messages are gone, patternMessage for some of the messages, and patternRead.
     */
    void readPatternLog(int edge, long session, int ticket, byte[] pattern, long[] from, long cursor);

    /** Ends the interest of an edge that has no subscriber of this pattern any more. */
    void leavePattern(int edge, byte[] pattern);

    void watch(int edge, long session, long commandId, SubjectKey subject);

    void unwatch(int edge, long session, SubjectKey subject);
}
