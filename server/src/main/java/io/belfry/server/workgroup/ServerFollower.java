package io.belfry.server.workgroup;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandHandler;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.MessageView;
import io.belfry.server.entitlement.Decision;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Session;
import io.belfry.server.session.Terms;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A session by which the server follows one subject. Owner: the lane's loop.
 */
final class ServerFollower extends ServerSession {
    /** The permissions of the session. Its only command is the subscription, which is not checked. */
    private static final Principal SERVER = new Principal() {
        @Override
        public Decision maySubscribe(byte[] subject, long nowMillis) {
            return Decision.ALLOWED;
        }

        @Override
        public Decision mayPublish(byte[] subject, int length, long nowMillis) {
            return new Decision.Denied(Code.PUBLISH_DENIED, "the session only follows");
        }
    };

    private final Lane lane;
    private final byte[] subject;
    private final ObjLongConsumer<byte[]> receiver;
    private @Nullable Session session;

    ServerFollower(Lane lane, byte[] subject, ObjLongConsumer<byte[]> receiver) {
        this.lane = lane;
        this.subject = subject;
        this.receiver = receiver;
    }

    void begin() {
        Session opened = lane.open(this, null, SERVER);
        session = opened;
        lane.routing().subscribe(opened, CommandHandler.NO_ID, subject, new Terms(null, 0, 0, true));
    }

    void end() {
        if (session != null) {
            lane.close(session, Code.CLIENT_CLOSED, "");
        }
    }

    @Override
    public void message(Session to, MessageView message) {
        byte[] data = new byte[message.dataLength()];
        message.data().getBytes(message.dataOffset(), data);
        // A live message has just arrived; a retained one may be older than this start of the server.
        receiver.accept(
                data, message.type() == MessageType.LIVE ? lane.parts().turn.nowMillis() : message.timeMillis());
    }

    @Override
    public void close(Code code, String reason) {
        session = null;
    }
}
