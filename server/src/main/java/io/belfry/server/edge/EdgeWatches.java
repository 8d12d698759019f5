package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.server.config.LimitConfig;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.session.Session;
import io.belfry.server.subject.SubjectKey;
import java.util.Arrays;
import java.util.List;

/** The subjects whose subscribers the sessions of a lane watch. Owner: the lane's loop. */
public final class EdgeWatches {
    private final LaneCalls calls;
    private final LaneReplies replies;
    private final SubjectKey key;
    private LimitConfig limits;

    /** Creates the watches of a lane; {@code seed} is the seed of the subject hashes. */
    public EdgeWatches(LaneCalls calls, LaneReplies replies, long seed, LimitConfig limits) {
        this.calls = calls;
        this.replies = replies;
        this.limits = limits;
        key = new SubjectKey(seed);
    }

    /** Applies the limits that can change at run time. */
    public void reconfigure(LimitConfig next) {
        limits = next;
    }

    void watch(Session session, long id, byte[] subject) {
        List<byte[]> watched = session.extrasCreated().watched();
        if (limits.subjectsPerSession() > 0 && watched.size() >= limits.subjectsPerSession()) {
            replies.refuse(
                    session,
                    id,
                    Code.TOO_MANY_SUBJECTS,
                    "more than Limit.SubjectsPerSession, " + limits.subjectsPerSession(),
                    subject);
            return;
        }
        if (watched.stream().noneMatch(each -> Arrays.equals(each, subject))) {
            watched.add(subject);
        }
        key.set(subject);
        calls.home(key).watch(calls.index(), session.reference(), id, key);
    }

    void unwatch(Session session, long id, byte[] subject) {
        end(session, subject);
        if (id != CommandHandler.NO_ID) {
            replies.of(session).unwatched(session, id, subject);
        }
    }

    void end(Session session, byte[] subject) {
        session.extrasCreated().watched().removeIf(watched -> Arrays.equals(watched, subject));
        key.set(subject);
        calls.home(key).unwatch(calls.index(), session.reference(), key);
    }

    /** Ends all watches of a session. */
    public void forget(Session session) {
        of(session).forEach(subject -> end(session, subject));
    }

    static List<byte[]> of(Session session) {
        return session.extras() == null
                ? List.of()
                : List.copyOf(session.extras().watched());
    }
}
