package io.belfry.server.catchup;

import io.belfry.protocol.Code;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.server.config.SlowConsumerConfig;
import io.belfry.server.config.SlowConsumerConfig.Policy;
import io.belfry.server.counter.SlowSession;
import io.belfry.server.delivery.HeldMessage;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.session.CatchUp;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionPlaces;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Turn;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The places of a lane's sessions: their beginning and end, the subjects they keep in use, and which sessions lag. Owner:
 * the lane's loop.
 */
public final class Places {
    /** Maximum number of subjects whose policies are listed for one session. */
    private static final int POLICIES_LOOKED_AT = 100;

    private final Turn turn;
    private final int lane;
    private final LaneSubjects subjects;
    private final LaneOptions options;
    private final SubjectKey key;
    private final LatestMessages latest = new LatestMessages();
    private final Set<Session> lagging = new HashSet<>();
    private SlowConsumerConfig config;
    private SlowObserver observer = (session, code) -> {};
    private int lastTicket;

    /** Creates the places of a lane; {@code seed} is the seed of the subject hashes. */
    public Places(
            Turn turn, int lane, LaneSubjects subjects, LaneOptions options, long seed, SlowConsumerConfig config) {
        this.turn = turn;
        this.lane = lane;
        this.subjects = subjects;
        this.options = options;
        key = new SubjectKey(seed);
        this.config = config;
    }

    /** Sets the receiver of sessions that read too slowly, before the first session. */
    public void observe(SlowObserver next) {
        observer = next;
    }

    /** Called when messages of a session are skipped, or before it is closed, because it reads too slowly. */
    void onSlow(Session session, Code code) {
        observer.onSlow(session, code);
    }

    void reconfigure(SlowConsumerConfig next) {
        config = next;
    }

    /** Starts reading this subject for the session, and ends an earlier place of the session in it. */
    public CatchUp.Place beginAt(Session session, int subject, long afterSeq, MessageType type) {
        // Pinned first, because the place that ends may be the only reason to keep the subject.
        subjects.pin(subject);
        endAt(session, subject);
        return SessionPlaces.begin(session, subject, ++lastTicket, afterSeq, type);
    }

    /** Ends the session's place in this subject, if it has one. */
    public void endAt(Session session, int subject) {
        CatchUp.Place place = SessionPlaces.at(session, subject);
        if (place != null) {
            latest.release(place);
            SessionPlaces.end(session, subject);
            subjects.unpin(subject);
            onMoved(session);
        }
    }

    Policy policyOf(CatchUp.Place place) {
        Policy option = options.of(place.subject()).slow();
        if (option != null) {
            return option;
        }
        return config.rules().isEmpty() ? config.policy() : config.policyOf(nameOf(place));
    }

    byte[] nameOf(CatchUp.Place place) {
        return subjects.table().key(place.subject());
    }

    /** Returns the key with which the subject's lane is asked; valid until the next call. */
    SubjectKey keyOf(CatchUp.Place place) {
        return key.set(subjects.table(), place.subject());
    }

    /** Keeps this message, or a later one that is kept for another session, for the place's session. */
    void keepLatest(CatchUp.Place place, MessageView message) {
        latest.keep(place, message);
    }

    @Nullable
    HeldMessage latestFor(CatchUp.Place place) {
        return latest.of(place);
    }

    // ---- lagging sessions ----

    void onLagging(Session session) {
        lagging.add(session);
    }

    /** Called when the session took its bytes or has one place less. */
    void onMoved(Session session) {
        if (!lagging.isEmpty() && session.isReady() && SessionPlaces.of(session) == null) {
            lagging.remove(session);
        }
    }

    void forget(Session session) {
        lagging.remove(session);
    }

    /** Returns the sessions that lag most, in descending order. */
    public List<SlowSession> slowest(int most, NodeFacts facts) {
        PriorityQueue<Session> worst = new PriorityQueue<>(Comparator.comparingLong(Places::behindBytes));
        for (Session session : lagging) {
            worst.add(session);
            if (worst.size() > most) {
                worst.remove();
            }
        }
        return worst.stream()
                .sorted(worst.comparator().reversed())
                .map(session -> describe(session, facts))
                .toList();
    }

    /** Returns the bytes that the session has not received. */
    public static long behindBytes(Session session) {
        CatchUp catchUp = SessionPlaces.of(session);
        return session.queuedBytes() + (catchUp == null ? 0 : catchUp.behindBytes());
    }

    private SlowSession describe(Session session, NodeFacts facts) {
        CatchUp catchUp = SessionPlaces.created(session);
        Collection<CatchUp.Place> places = catchUp.places();
        return new SlowSession(
                facts.sessionName(lane, session),
                session.outbound().address().text(),
                state(session, catchUp),
                policies(places),
                catchUp.behindBytes(),
                catchUp.behindMessages(),
                catchUp.count(),
                session.outbound().queuedBytes(),
                turn.nowMillis() - (turn.nowNanos() - catchUp.sinceNanos()) / 1_000_000);
    }

    /** Returns the reason why a session lags. */
    public static SlowSession.State state(Session session, @Nullable CatchUp catchUp) {
        if (session.isReady()) {
            return SlowSession.State.CATCHING_UP;
        }
        return catchUp != null && catchUp.wasBeyond() ? SlowSession.State.TOO_SLOW : SlowSession.State.STALLED;
    }

    private String policies(Collection<CatchUp.Place> places) {
        String found = places.stream()
                .limit(POLICIES_LOOKED_AT)
                .map(place -> policyOf(place).name().toLowerCase(Locale.ROOT))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return found.isEmpty() ? config.policy().name().toLowerCase(Locale.ROOT) : found;
    }
}
