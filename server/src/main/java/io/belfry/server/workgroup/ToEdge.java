package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.server.history.Retained;
import io.belfry.server.subject.SubjectKey;
import org.jspecify.annotations.Nullable;

/** What a subject's lane tells the lanes whose sessions are concerned. Arguments are valid during the call only. */
interface ToEdge {
    /** A live message for whoever follows its subject. The view's subject is set to the key's bytes. */
    void deliver(int home, SubjectKey subject, MessageView message, long receivedNanos);

    void published(long session, long commandId, long epoch, long seq);

    void refused(long session, long commandId, Code code, String reason, SubjectKey subject);

    void joined(long session, int ticket, long commandId, SubjectKey subject, Position at, Recovery recovery);

    void gap(long session, int ticket, SubjectKey subject, @Nullable Position from, Position to, Code reason);

    /** A message out of the past; the view's subject is set. */
    void message(long session, int ticket, SubjectKey subject, MessageView message);

    /** The read gave all up to this seq; with {@code more} there is more to ask for, else the session is at the head. */
    void readDone(long session, int ticket, SubjectKey subject, long seq, boolean more);

    /** A retained message for a new subscription to a pattern. */
    void patternSnapshot(int home, long session, int ticket, byte[] pattern, MessageView message);

    /** The read gave all up to this cursor. Where it is {@link Retained#END} the home delivers what is live from here on. */
    void patternRead(int home, long session, int ticket, byte[] pattern, long cursor);

    /** A watched subject has subscribers now, or has none. With a command id it answers that command. */
    void interest(long session, long commandId, SubjectKey subject, boolean subscribers);
}
