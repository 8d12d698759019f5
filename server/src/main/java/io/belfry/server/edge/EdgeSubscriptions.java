package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.Subjects;
import io.belfry.server.config.LimitConfig;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.handoff.LaneLimits;
import io.belfry.server.session.Session;
import io.belfry.server.session.Terms;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.supervision.Revocable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All subscriptions and watches of a lane's sessions, within their limits. Owner: the lane's loop. */
public final class EdgeSubscriptions implements Revocable {
    private final SubjectSubscriptions bySubject;
    private final NameSubscriptions names;
    private final EdgePatterns patterns;
    private final EdgeWatches watches;
    private final Conflation conflation;
    private final LaneSubjects subjects;
    private final LaneLimits shares;
    private final LaneReplies replies;
    private LimitConfig limits;

    public EdgeSubscriptions(
            SubjectSubscriptions bySubject,
            NameSubscriptions names,
            EdgePatterns patterns,
            EdgeWatches watches,
            Conflation conflation,
            LaneSubjects subjects,
            LaneLimits shares,
            LaneReplies replies,
            LimitConfig limits) {
        this.bySubject = bySubject;
        this.names = names;
        this.patterns = patterns;
        this.watches = watches;
        this.conflation = conflation;
        this.subjects = subjects;
        this.shares = shares;
        this.replies = replies;
        this.limits = limits;
    }

    /** Applies the limits that can change at run time. */
    public void reconfigure(LimitConfig next) {
        limits = next;
        watches.reconfigure(next);
    }

    /** Returns the number of the session's subjects and patterns. */
    public int held(Session session) {
        return names.count(session) + patterns.count(session);
    }

    /** Returns the number of the session's subscriptions by name. */
    int names(Session session) {
        return names.count(session);
    }

    /** Ends the session's patterns without an answer. */
    void endPatterns(Session session) {
        if (patterns.count(session) > 0) {
            patterns.forget(session);
            conflation.leaveByPattern(session, subject -> true);
            bySubject.endUncovered(session);
        }
    }

    /** Returns whether the session may subscribe to more; otherwise refuses the command. */
    boolean hasRoom(Session session, long id, byte[] subject) {
        if (limits.subjectsPerSession() <= 0 || held(session) < limits.subjectsPerSession()) {
            return true;
        }
        replies.refuse(
                session,
                id,
                Code.TOO_MANY_SUBJECTS,
                "more than Limit.SubjectsPerSession, " + limits.subjectsPerSession(),
                subject);
        return false;
    }

    /** Returns why the session cannot subscribe to a subject or a pattern, or null. */
    public @Nullable Code refusal(Session session, byte[] subject) {
        Code refusal =
                Subjects.isPattern(subject) ? patternRefusal(session, subject) : bySubject.refusal(session, subject);
        boolean full = limits.subjectsPerSession() > 0 && held(session) >= limits.subjectsPerSession();
        return refusal == null && full ? Code.TOO_MANY_SUBJECTS : refusal;
    }

    private @Nullable Code patternRefusal(Session session, byte[] pattern) {
        int max = limits.load().patternsPerSession();
        if (patterns.has(session, pattern)) {
            return Code.ALREADY_SUBSCRIBED;
        }
        if (max > 0 && patterns.count(session) >= max) {
            return Code.TOO_MANY_PATTERNS;
        }
        return shares.hasAllPatterns() ? Code.PATTERNS_FULL : null;
    }

    void subscribe(Session session, long id, byte[] subject, Terms terms) {
        if (Subjects.isPattern(subject)) {
            subscribePattern(session, id, subject, terms);
        } else {
            bySubject.join(session, id, subject, terms);
        }
    }

    private void subscribePattern(Session session, long id, byte[] pattern, Terms terms) {
        int max = limits.load().patternsPerSession();
        if (max > 0 && patterns.count(session) >= max) {
            replies.refuse(session, id, Code.TOO_MANY_PATTERNS, "more than Limit.PatternsPerSession, " + max, pattern);
        } else if (shares.hasAllPatterns()) {
            replies.refuse(session, id, Code.PATTERNS_FULL, Code.PATTERNS_FULL.sentence(), pattern);
        } else {
            patterns.subscribe(session, id, pattern, terms);
        }
    }

    @Override
    public boolean drop(Session session, byte[] subject) {
        return Subjects.isPattern(subject) ? dropPattern(session, subject) : bySubject.drop(session, subject);
    }

    private boolean dropPattern(Session session, byte[] pattern) {
        if (!patterns.unsubscribe(session, pattern)) {
            return false;
        }
        conflation.leaveByPattern(
                session,
                subject -> !patterns.conflates(session, subjects.table().key(subject)));
        bySubject.endUncovered(session);
        return true;
    }

    @Override
    public List<byte[]> followedBy(Session session) {
        List<byte[]> followed = new ArrayList<>(patterns.of(session));
        bySubject.addNames(session, followed);
        return followed;
    }

    void watch(Session session, long id, byte[] subject) {
        watches.watch(session, id, subject);
    }

    void unwatch(Session session, long id, byte[] subject) {
        watches.unwatch(session, id, subject);
    }

    @Override
    public void renewMemberships(Session session) {
        bySubject.renewMemberships(session);
    }

    @Override
    public List<byte[]> watchedBy(Session session) {
        return EdgeWatches.of(session);
    }

    @Override
    public void endWatch(Session session, byte[] subject) {
        watches.end(session, subject);
    }
}
