package io.belfry.server.transport;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.Subjects;
import io.belfry.protocol.WireFormat;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Replies;
import io.belfry.server.session.Session;
import io.belfry.server.session.Terms;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection with a streaming response: server-sent events or lines of JSON. Owner: the loop. */
final class HttpStreamConnection implements Phase {
    private final Connection connection;
    private final StreamRequest request;
    private final Session session;
    private final @Nullable SseVector vector;

    /** Ping interval in ms that the client requested and the server accepted; 0 if it requested none. */
    private final int pingMillis;

    HttpStreamConnection(Connection connection, StreamRequest request, Principal principal) {
        this.connection = connection;
        this.request = request;
        WireFormat shared = request.sharedFormat();
        session = lane().open(connection, shared, principal);
        vector = shared != null ? null : new SseVector(lane(), format(), request.subjects(), request.from());
        connection.session(session);
        lane().announce(session);
        pingMillis = request.pingMillis() == 0 ? 0 : lane().requestPing(session, request.pingMillis());
    }

    /** Returns the session name, which is sent to the client and shown by the monitor. */
    String sessionName() {
        return lane().nameOf(session);
    }

    /** Returns the ping interval in ms for the head of the stream, or 0 if the client requested none. */
    int pingMillis() {
        return pingMillis;
    }

    private Lane lane() {
        return connection.context().lane();
    }

    /** Subscribes to each subject as was decided; the answer or error for each is an event of the stream. */
    void start(List<Decision> decisions) {
        for (int i = 0; i < request.subjects().size() && !session.isClosed(); i++) {
            byte[] subject = request.subjects().get(i);
            lane().commands(session).subscribe(CommandHandler.NO_ID, subject, terms(i), decisions.get(i));
        }
        connection.flushStaged();
    }

    private Terms terms(int index) {
        boolean pattern = Subjects.isPattern(request.subjects().get(index));
        return new Terms(
                request.from().ofSubjects().get(index),
                pattern ? request.from().ofPatterns() : null,
                pattern ? 0 : request.history(),
                request.conflateMillis(),
                true);
    }

    @Override
    public Replies replies() {
        return java.util.Objects.requireNonNull(vector);
    }

    @Override
    public void onBytes(ByteBuf in) {
        in.skipBytes(in.readableBytes());
    }

    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        if (code != Code.DRAIN) {
            format().error(out, CommandHandler.NO_ID, code, reason, null);
        }
        format().close(out, code);
    }

    @Override
    public boolean ping() {
        ByteBuf out = connection.context().scratch();
        format().keepAlive(out);
        lane().stage(session, out, 0);
        return connection.showsAcknowledgements();
    }

    @Override
    public boolean isHeardBySystem() {
        return true;
    }

    /**
     * Checks whether the client is alive: a client may close its half and continue to read. A client that closed both
     * halves looks the same until it is sent something, which its system answers with a reset.
     */
    @Override
    public void onInputEnd() {
        if (session.isReady() && !session.isClosed()) {
            ping();
            connection.expectReset();
        }
    }

    private BelfryFormat format() {
        return request.inForm(request.lines() ? BelfryFormat.NDJSON : BelfryFormat.SSE);
    }

    @Override
    public void onGone() {
        // The lane removes the session with the connection, and nothing else is held.
    }
}
