package io.belfry.server.handoff;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import org.jspecify.annotations.Nullable;

/** Calls of a subject's lane to the lanes of the sessions concerned. Arguments are valid during the call only. */
public interface ToEdge {
    /** Delivers a live message to the subject's subscribers. The view's subject is set to the key's bytes. */
    void deliver(int home, SubjectKey subject, MessageView message, long receivedNanos);

    void published(long session, long commandId, long epoch, long seq);

    void refused(long session, long commandId, Code code, String reason, SubjectKey subject);

    void joined(long session, int ticket, long commandId, SubjectKey subject, Position at, Recovery recovery);

    void gap(long session, int ticket, SubjectKey subject, @Nullable Position from, Position to, Code reason);

    /** Delivers a past message; the view's subject is set. */
    void message(long session, int ticket, SubjectKey subject, MessageView message);

    /** Ends a read that delivered everything up to this seq. With {@code more} there is more to read, else the session is at the head. */
    void readDone(long session, int ticket, SubjectKey subject, long seq, boolean more);

    /** Delivers a retained message for a new pattern subscription. */
    void patternSnapshot(int home, long session, int ticket, byte[] pattern, MessageView message);

    /**
     * Ends a read up to this cursor and these places. With {@link Retained#END} the home delivers live messages from now on,
     * that is from the places on. There are no places without history, and while retained messages are read.
     */
    void patternRead(int home, long session, int ticket, byte[] pattern, long cursor, long[] places);

    /** Delivers a message that was published after the position of a pattern; its place is that in the log of this number. */
    void patternMessage(int home, long session, int ticket, byte[] pattern, int log, long place, MessageView message);

    /** Reports that messages after the position of a pattern are gone. */
    void patternGap(long session, int ticket, byte[] pattern, Code reason);

    /** Reports how far a home has delivered its messages, to edges with patterns: the calls before this one contain them. */
    void delivered(int home, long[] ends);

    /** Reports that a watched subject has subscribers or has none. With a command id it is the answer to that command. */
    void interest(long session, long commandId, SubjectKey subject, boolean subscribers);
}
