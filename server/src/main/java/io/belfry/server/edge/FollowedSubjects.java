package io.belfry.server.edge;

import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.Position;
import io.belfry.server.broker.Broker;
import io.belfry.server.catchup.Places;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.Deltas;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.session.Terms;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.subject.SubjectTable;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Passes the subscriptions and watches of one session to another one, which may be on another lane. Owner: the lane's loop. */
public final class FollowedSubjects {
    private final LaneSubjects subjects;
    private final NameSubscriptions names;
    private final Conflation conflation;
    private final Deltas deltas;
    private final Places places;
    private final Broker broker;
    private final LaneReplies replies;
    private final SubjectKey key;

    /**
     * The subscriptions and watches of a session, for another session that continues it. Immutable.
     *
     * @param first the first subscriptions, which are all of most sessions
     * @param rest the subjects of the others, whose terms are determined later
     * @param watched the watched subjects
     */
    record Followed(List<Continued> first, List<byte[]> rest, List<byte[]> watched) {}

    /** Subscriptions that are passed on together. */
    static final int PART = 64;

    /** A subject and the terms on which another session continues its subscription. Immutable. */
    static final class Continued {
        private final byte[] subject;
        private final Terms terms;

        Continued(byte[] subject, Terms terms) {
            this.subject = subject;
            this.terms = terms;
        }
    }

    public FollowedSubjects(
            LaneSubjects subjects,
            NameSubscriptions names,
            Conflation conflation,
            Deltas deltas,
            Places places,
            Broker broker,
            LaneReplies replies,
            SubjectKey key) {
        this.subjects = subjects;
        this.names = names;
        this.conflation = conflation;
        this.deltas = deltas;
        this.places = places;
        this.broker = broker;
        this.replies = replies;
        this.key = key;
    }

    /**
     * Makes the session's places wait, because its connection is lost: answers on their way would be lost too. Subscriptions
     * that were not answered continue with the next message.
     */
    void interrupt(Session session) {
        CatchUp catchUp = SessionPlaces.of(session);
        if (catchUp == null) {
            return;
        }
        for (CatchUp.Place place : catchUp.places()) {
            if (place.isJoining()) {
                places.endAt(session, place.subject());
            } else if (place.isReading()) {
                places.beginAt(session, place.subject(), place.afterSeq(), place.type());
            }
        }
    }

    /** Returns what the session follows; {@code received} has the positions that its client received. */
    Followed of(Session session, Map<ByteBuffer, Position> received) {
        List<byte[]> all = new ArrayList<>();
        names.forEach(session, subject -> all.add(subjects.table().key(subject)));
        int first = Math.min(PART, all.size());
        return new Followed(
                terms(session, all.subList(0, first), received),
                List.copyOf(all.subList(first, all.size())),
                EdgeWatches.of(session));
    }

    /**
     * Returns on which terms these subscriptions of a session continue now: from the position that its client received, or else
     * from the server's. The session may have ended.
     */
    List<Continued> terms(@Nullable Session session, List<byte[]> those, Map<ByteBuffer, Position> received) {
        if (session != null) {
            replies.complete(session);
        }
        return those.stream()
                .map(name -> new Continued(name, terms(session, name, received.get(ByteBuffer.wrap(name)))))
                .toList();
    }

    private Terms terms(@Nullable Session session, byte[] name, @Nullable Position received) {
        int subject = session == null ? SubjectTable.NONE : subjects.find(key.set(name));
        if (session == null || subject == SubjectTable.NONE) {
            return new Terms(received, 0, 0, true);
        }
        CatchUp.Place place = SessionPlaces.at(session, subject);
        Position from = received;
        if (from == null && place != null && (place.afterSeq() > 0 || place.isLagging())) {
            from = new Position(broker.epoch(), place.afterSeq());
        }
        int conflateMillis = conflation.millis(session, subject);
        return new Terms(from, null, 0, conflateMillis, true, deltas.has(session, subject));
    }

    /** Gives a session those subscriptions of another one that its permissions allow. */
    void give(Session session, List<Continued> subscriptions, Routing routing) {
        for (Continued each : subscriptions) {
            if (session.principal().maySubscribe(each.subject, routing.nowMillis()) instanceof Decision.Denied denied) {
                replies.of(session).ended(session, each.subject, denied.code());
            } else {
                routing.subscribe(session, CommandHandler.NO_ID, each.subject, each.terms);
            }
        }
    }

    /** Gives a session those watches of another one that its permissions allow. */
    void watch(Session session, List<byte[]> watched, Routing routing) {
        for (byte[] subject : watched) {
            if (session.principal().mayPublish(subject, subject.length, routing.nowMillis())
                    instanceof Decision.Denied denied) {
                replies.of(session).watchEnded(session, subject, denied.code());
            } else {
                routing.watch(session, CommandHandler.NO_ID, subject);
            }
        }
    }
}
