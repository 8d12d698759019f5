package io.belfry.server.home;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageView;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.Publication;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;

/**
 * Reports messages of the subjects with the option {@code events=messages} to the application, on their way from the broker to the
 * home. A lane has this step only if a receiver asks for messages. Owner: the lane's loop.
 */
public record ReportedMessages(Broker.Events next, LaneSubjects subjects, LaneOptions options, Observer observer)
        implements Broker.Events {
    /** Receives messages that have their place in the order, each once. */
    public interface Observer {
        /** The view is valid during the call, and its subject is not set. */
        void onPublished(byte[] subject, MessageView message);
    }

    @Override
    public void onMessage(int subject, MessageView message, long receivedNanos) {
        if (options.reportsMessages() && options.of(subject).events().ofMessages()) {
            observer.onPublished(subjects.table().key(subject), message);
        }
        next.onMessage(subject, message, receivedNanos);
    }

    @Override
    public void onAccepted(Publication publication, long seq) {
        next.onAccepted(publication, seq);
    }

    @Override
    public void onRefused(int subject, Publication publication, Code code, String reason) {
        next.onRefused(subject, publication, code, reason);
    }

    @Override
    public void onStale(boolean stale) {
        next.onStale(stale);
    }

    @Override
    public void onFollowedElsewhere(SubjectKey subject, boolean now) {
        next.onFollowedElsewhere(subject, now);
    }

    @Override
    public boolean isFollowed(SubjectKey subject) {
        return next.isFollowed(subject);
    }

    @Override
    public void onTakenBack(int subject) {
        next.onTakenBack(subject);
    }
}
