package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.server.config.UserLimitConfig;
import io.belfry.server.delivery.ConnectAnswers;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.Peers;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.subject.SubjectKey;
import io.belfry.server.turn.Turn;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of users: those of this lane, and the part of the directory of all users whose hash selects this lane. Applies the
 * limit of sessions per user. Owner: the lane's loop.
 *
 * <p>The lane of the user decides on the order of its sessions. It removes a session from the directory before it closes it, so a
 * user never has more entries than the limit. Each claim has a number, so that a late task cannot concern a session that has
 * changed its user meanwhile.
 */
public final class UserSessions implements ConnectAnswers {
    private static final String REPLACED = "a newer session of the user has replaced this one";
    private static final String TOO_MANY = "the user has as many sessions as Limit.SessionsPerUser allows";

    /** The user of a session in the directory. */
    private record Claim(String user, long number) {}

    private final Turn turn;
    private final LaneCalls calls;
    private final SubjectKey key;
    private final SessionTable sessions;
    private final ConnectAnswers next;
    private final LaneReplies replies;
    private final SessionCloser closer;
    private UserLimitConfig config;

    /** The claims of this lane's sessions; an anonymous session has none. */
    private final IdentityHashMap<Session, Claim> claims = new IdentityHashMap<>(1);

    private final UserDirectory directory = new UserDirectory();
    private Peers<UserSessions> peers = (lane, task) -> {};
    private long lastNumber;

    /** Creates the lane's part; {@code next} answers a connect whose user is accepted. */
    public UserSessions(
            Turn turn,
            LaneCalls calls,
            SubjectKey key,
            SessionTable sessions,
            ConnectAnswers next,
            LaneReplies replies,
            SessionCloser closer,
            UserLimitConfig config) {
        this.turn = turn;
        this.calls = calls;
        this.key = key;
        this.sessions = sessions;
        this.next = next;
        this.replies = replies;
        this.closer = closer;
        this.config = config;
    }

    /** Applies another limit, when a user opens the next session; existing sessions stay until then. */
    public void reconfigure(UserLimitConfig limits) {
        config = limits;
    }

    /** Connects the lanes with each other, before the first session. */
    public void connect(Peers<UserSessions> all) {
        peers = all;
    }

    /** Returns the number of users in this lane's part of the directory. */
    public int size() {
        return directory.size();
    }

    /** Returns the lane whose part of the directory has this user. */
    public int laneOf(String user) {
        return calls.laneOf(key.set(user.getBytes(StandardCharsets.UTF_8)));
    }

    /** A session of a user: its lane, and its reference there. Immutable. */
    public record Located(int lane, long session) {}

    /** Returns the sessions of a user on all lanes, the oldest first. Called on the lane of the user. */
    public List<Located> sessionsOf(String user) {
        return directory.holders(user).stream()
                .map(each -> new Located(each.lane(), each.session()))
                .toList();
    }

    // ---- the lane of a session ----

    /** Called when a session opens; its commands wait until its user is accepted. */
    public void onOpened(Session session) {
        String user = session.principal().user();
        if (user == null) {
            return;
        }
        UserDirectory.Holder holder = newClaim(session, user);
        boolean waits = config.sessions() > 0 && config.policy() == UserLimitConfig.Policy.REFUSE;
        if (waits) {
            session.outbound().holdCommands();
        }
        claim(user, holder, given -> {
            // The transport has not finished opening the session yet if the decision is made on this lane.
            if (waits || !given) {
                turn.later(() -> onOpeningDecided(holder, given, waits));
            }
        });
    }

    private void onOpeningDecided(UserDirectory.Holder holder, boolean given, boolean waits) {
        Session session = sessions.find(holder.session());
        if (session == null || session.isDetached()) {
            return;
        }
        if (!given && claimed(holder) != null) {
            claims.remove(session);
            closer.close(session, Code.TOO_MANY_OF_USER, TOO_MANY);
        }
        if (waits) {
            session.outbound().releaseCommands();
        }
    }

    /** Continues a connect after the user that its token names is accepted. */
    @Override
    public void connect(Session session, long id, ConnectRequest request) {
        String user = session.principal().user();
        Claim present = claims.get(session);
        if (present == null ? user == null : present.user().equals(user)) {
            next.connect(session, id, request);
            return;
        }
        forget(session);
        if (user == null) {
            next.connect(session, id, request);
            return;
        }
        UserDirectory.Holder holder = newClaim(session, user);
        session.outbound().holdCommands();
        claim(user, holder, given -> onDecided(holder, id, request, given));
    }

    private void onDecided(UserDirectory.Holder holder, long id, ConnectRequest request, boolean given) {
        Session session = sessions.find(holder.session());
        if (session == null || session.isDetached()) {
            // The connection is lost, and the claim was released.
            return;
        }
        if (given) {
            next.connect(session, id, request);
        } else {
            claims.remove(session);
            replies.refuse(session, id, Code.TOO_MANY_OF_USER, TOO_MANY, null);
            closer.close(session, Code.TOO_MANY_OF_USER, TOO_MANY);
        }
        session.outbound().releaseCommands();
    }

    private UserDirectory.Holder newClaim(Session session, String user) {
        Claim claim = new Claim(user, ++lastNumber);
        claims.put(session, claim);
        return holder(session, claim);
    }

    private UserDirectory.Holder holder(Session session, Claim claim) {
        return new UserDirectory.Holder(calls.index(), session.reference(), claim.number());
    }

    private void claim(String user, UserDirectory.Holder holder, Decided decided) {
        peers.run(
                laneOf(user),
                there -> there.onClaim(user, holder, given -> peers.run(calls.index(), here -> decided.accept(given))));
    }

    /** Releases the claim of a session whose connection has ended, or whose user changes. */
    public void forget(Session session) {
        Claim claim = claims.remove(session);
        if (claim != null) {
            UserDirectory.Holder holder = holder(session, claim);
            peers.run(laneOf(claim.user()), there -> there.directory.remove(claim.user(), holder));
        }
    }

    /** Returns the session of a holder on this lane, or null if it has ended or has another claim. */
    private @Nullable Session claimed(UserDirectory.Holder holder) {
        Session session = sessions.find(holder.session());
        Claim claim = session == null ? null : claims.get(session);
        return claim != null && claim.number() == holder.claim() ? session : null;
    }

    private void onReplaced(UserDirectory.Holder holder) {
        Session session = claimed(holder);
        if (session != null) {
            closer.close(session, Code.USER_REPLACED, REPLACED);
        }
    }

    // ---- the lane of a user ----

    /** Receives the decision of the directory. */
    private interface Decided {
        void accept(boolean given);
    }

    private void onClaim(String user, UserDirectory.Holder newcomer, Decided decided) {
        int limit = config.sessions();
        boolean refuses = config.policy() == UserLimitConfig.Policy.REFUSE;
        if (limit > 0 && refuses && directory.sessions(user) >= limit) {
            decided.accept(false);
            return;
        }
        directory.add(user, newcomer);
        if (limit > 0 && !refuses) {
            for (UserDirectory.Holder oldest : directory.removeOldest(user, limit)) {
                peers.run(oldest.lane(), there -> there.onReplaced(oldest));
            }
        }
        decided.accept(true);
    }
}
