package io.belfry.server.edge;

import io.belfry.protocol.Code;
import io.belfry.protocol.ConnectRequest;
import io.belfry.server.config.ClientNameConfig;
import io.belfry.server.delivery.ConnectAnswers;
import io.belfry.server.delivery.LaneReplies;
import io.belfry.server.delivery.SessionCloser;
import io.belfry.server.handoff.LaneCalls;
import io.belfry.server.handoff.Peers;
import io.belfry.server.session.Session;
import io.belfry.server.session.SessionTable;
import io.belfry.server.subject.SubjectKey;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The names of clients: those of this lane's sessions, and the part of the directory of all names whose hash selects this lane.
 * At most one connection of the node has a name. The newcomer wins, and the older connection is closed. Owner: the lane's loop.
 *
 * <p>The directory decides on the order of claims, and notifies the lane of the older session before that of the newcomer. A
 * session has one name until it ends, so a claim or a release that arrives late cannot concern another claim of the session.
 */
public final class ClientNames implements ConnectAnswers {
    private final LaneCalls calls;
    private final SubjectKey key;
    private final SessionTable sessions;
    private final KeptSessions kept;
    private final LaneReplies replies;
    private final SessionCloser closer;
    private ClientNameConfig config;

    /** The names of this lane's sessions; most sessions have none. */
    private final IdentityHashMap<Session, String> names = new IdentityHashMap<>(1);

    private final NameDirectory directory = new NameDirectory();
    private Peers<ClientNames> peers = (lane, task) -> {};

    /** Creates the lane's part; {@code config} has the lane's share of the limit. */
    public ClientNames(
            LaneCalls calls,
            SubjectKey key,
            SessionTable sessions,
            KeptSessions kept,
            LaneReplies replies,
            SessionCloser closer,
            ClientNameConfig config) {
        this.calls = calls;
        this.key = key;
        this.sessions = sessions;
        this.kept = kept;
        this.replies = replies;
        this.closer = closer;
        this.config = config;
    }

    /** Applies the lane's share of another limit; existing names stay. */
    public void reconfigure(ClientNameConfig next) {
        config = next;
    }

    /** Connects the lanes with each other, before the first session. */
    public void connect(Peers<ClientNames> all) {
        peers = all;
    }

    /** Returns the number of names in this lane's part of the directory. */
    public int size() {
        return directory.size();
    }

    // ---- the lane of a session ----

    @Override
    public void connect(Session session, long id, ConnectRequest request) {
        String name = request.client();
        String present = names.get(session);
        if (name == null || name.equals(present)) {
            kept.connect(session, id, request.session());
        } else if (present != null) {
            replies.refuse(session, id, Code.BAD_REQUEST, "the session has another client name already", null);
        } else {
            claim(session, id, name, request);
        }
    }

    private void claim(Session session, long id, String name, ConnectRequest request) {
        names.put(session, name);
        session.outbound().holdCommands();
        NameDirectory.Holder holder = holder(session);
        peers.run(
                laneOf(name),
                there -> there.onClaim(
                        name,
                        holder,
                        given -> peers.run(
                                calls.index(), here -> here.onDecided(holder.session(), id, request, given))));
    }

    private NameDirectory.Holder holder(Session session) {
        return new NameDirectory.Holder(calls.index(), session.reference());
    }

    private int laneOf(String name) {
        return calls.laneOf(key.set(name.getBytes(StandardCharsets.UTF_8)));
    }

    private void onDecided(long reference, long id, ConnectRequest request, boolean given) {
        Session session = sessions.find(reference);
        if (session == null || session.isDetached()) {
            // The connection is lost, and the name was released.
            return;
        }
        if (given) {
            kept.connect(session, id, request.session());
        } else {
            names.remove(session);
            replies.refuse(session, id, Code.CLIENT_NAMES_FULL, Code.CLIENT_NAMES_FULL.sentence(), null);
        }
        session.outbound().releaseCommands();
    }

    /** Releases the name of a session whose connection has ended. */
    public void forget(Session session) {
        String name = names.remove(session);
        if (name != null) {
            NameDirectory.Holder holder = holder(session);
            peers.run(laneOf(name), there -> there.directory.release(name, holder));
        }
    }

    /** Closes a session whose name another one has claimed, unless it has ended or lost its connection. */
    private void onTaken(long reference) {
        Session session = sessions.find(reference);
        if (session != null && names.containsKey(session)) {
            closer.close(session, Code.CLIENT_TAKEN, "another connection has taken the name of the client");
        }
    }

    // ---- the lane of a name ----

    /** Receives the decision of the directory. */
    private interface Decided {
        void accept(boolean given);
    }

    private void onClaim(String name, NameDirectory.Holder newcomer, Decided decided) {
        if (directory.size() >= config.names() && !directory.has(name)) {
            decided.accept(false);
            return;
        }
        NameDirectory.@Nullable Holder older = directory.claim(name, newcomer);
        if (older != null) {
            peers.run(older.lane(), there -> there.onTaken(older.session()));
        }
        decided.accept(true);
    }
}
