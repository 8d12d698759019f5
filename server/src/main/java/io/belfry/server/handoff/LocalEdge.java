package io.belfry.server.handoff;

import io.belfry.protocol.MessageView;
import io.belfry.server.subject.SubjectKey;

/** The edge of a home's own lane, which needs no search for a subject that the home knows. Owner: the lane's loop. */
public interface LocalEdge {
    /** Delivers a message. {@code known} is the subject's id on this lane, or none if nobody here subscribes to it by name. */
    void deliver(int home, int known, SubjectKey subject, MessageView message, long receivedNanos);
}
