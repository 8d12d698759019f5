package io.belfry.server.edge;

import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubjectPosition;
import io.belfry.server.broker.Broker;
import io.belfry.server.catchup.Places;
import io.belfry.server.delivery.Conflation;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Routing;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.session.Terms;
import io.belfry.server.subject.LaneSubjects;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Passes the subscriptions and watches of one session to another one, which may be on another lane. Owner: the lane's loop. */
public final class FollowedSubjects {
    private final LaneSubjects subjects;
    private final NameSubscriptions names;
    private final Conflation conflation;
    private final Places places;
    private final Broker broker;
    private final LaneReplies replies;

    /** What a session follows. Immutable. */
    record Followed(List<Continued> subscriptions, List<byte[]> watched) {}

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
            Places places,
            Broker broker,
            LaneReplies replies) {
        this.subjects = subjects;
        this.names = names;
        this.conflation = conflation;
        this.places = places;
        this.broker = broker;
        this.replies = replies;
    }

    /** Makes the session's places wait, because its connection is lost: answers on their way would be lost too. */
    void interrupt(Session session) {
        CatchUp catchUp = SessionPlaces.of(session);
        if (catchUp == null) {
            return;
        }
        for (CatchUp.Place place : catchUp.places()) {
            if (place.isReading() && !place.isJoining()) {
                places.beginAt(session, place.subject(), place.afterSeq(), place.type());
            }
        }
    }

    /** Returns what the session follows: each subject from the position that its client received, or else from the server's. */
    Followed of(Session session, List<SubjectPosition> received) {
        Map<ByteBuffer, Position> positions = new HashMap<>();
        received.forEach(each -> positions.put(ByteBuffer.wrap(each.subject()), each.at()));
        List<Continued> subscriptions = new ArrayList<>();
        names.forEach(session, subject -> {
            byte[] name = subjects.table().key(subject);
            CatchUp.Place place = SessionPlaces.at(session, subject);
            Position from = positions.get(ByteBuffer.wrap(name));
            if (from == null && place != null && place.afterSeq() > 0) {
                from = new Position(broker.epoch(), place.afterSeq());
            }
            int conflateMillis = conflation.millis(session, subject);
            subscriptions.add(new Continued(name, new Terms(from, 0, conflateMillis, true)));
        });
        return new Followed(List.copyOf(subscriptions), EdgeWatches.of(session));
    }

    /** Gives a session what another one followed, as far as its permissions allow. */
    void give(Session session, Followed followed, Routing routing) {
        for (Continued each : followed.subscriptions()) {
            if (session.principal().maySubscribe(each.subject, routing.nowMillis()) instanceof Decision.Denied denied) {
                replies.of(session).ended(session, each.subject, denied.code());
            } else {
                routing.subscribe(session, CommandHandler.NO_ID, each.subject, each.terms);
            }
        }
        for (byte[] subject : followed.watched()) {
            if (session.principal().mayPublish(subject, subject.length, routing.nowMillis())
                    instanceof Decision.Denied denied) {
                replies.of(session).watchEnded(session, subject, denied.code());
            } else {
                routing.watch(session, CommandHandler.NO_ID, subject);
            }
        }
    }
}
