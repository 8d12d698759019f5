package io.belfry.server.home;

import io.belfry.protocol.ReplyInboxes;
import io.belfry.server.config.KeptSessionConfig;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import io.belfry.server.turn.Turn;

/**
 * Keeps an inbox without subscribers and messages for some time, because its client may have lost the connection: until it returns,
 * replies need the subject. The bounds are those of sessions without a connection. Owner: the lane's loop.
 */
final class InboxGrace {
    private final Turn turn;
    private final LaneSubjects subjects;
    private final SubjectKey key;

    private KeptSessionConfig bounds = new KeptSessionConfig(0, 0, 0);

    /** Number of inboxes that stay, with or without a subscriber by now. */
    private int waiting;

    /** The inbox whose time is over. */
    private int ending = SubjectTable.NONE;

    InboxGrace(Turn turn, LaneSubjects subjects, long seed) {
        this.turn = turn;
        this.subjects = subjects;
        key = new SubjectKey(seed);
    }

    /** Sets this lane's share of the bounds. */
    void reconfigure(KeptSessionConfig next) {
        bounds = next;
    }

    /** Returns whether an unused subject is an inbox that stays. Called only when the subject would be removed. */
    boolean keeps(int subject) {
        if (subject == ending || waiting >= bounds.sessions() || bounds.detachedMillis() == 0) {
            return false;
        }
        key.set(subjects.table(), subject);
        if (!ReplyInboxes.isInbox(key.bytes(), key.length())) {
            return false;
        }
        waiting++;
        subjects.pin(subject);
        turn.after(bounds.detachedMillis() * 1_000_000L, () -> end(subject));
        return true;
    }

    private void end(int subject) {
        waiting--;
        ending = subject;
        try {
            subjects.unpin(subject);
        } finally {
            ending = SubjectTable.NONE;
        }
    }
}
