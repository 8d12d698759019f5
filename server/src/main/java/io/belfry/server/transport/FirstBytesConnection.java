package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.HttpResponses;
import io.belfry.server.codec.ReplyTerms;
import io.netty.buffer.ByteBuf;

/** A connection whose first bytes have not selected a protocol yet. Without such protocols it is not used. Owner: the loop. */
final class FirstBytesConnection implements Phase {
    /** The connection, as far as this phase needs it. */
    interface Undecided {
        /** Changes the phase if the bytes select one, without reading them. */
        void choose(ByteBuf first);

        void cut();
    }

    private final Undecided connection;
    private final HttpResponses responses;

    FirstBytesConnection(Undecided connection, HttpResponses responses) {
        this.connection = connection;
        this.responses = responses;
    }

    /** Reads nothing: the bytes are passed to the next phase. */
    @Override
    public void onBytes(ByteBuf in) {
        connection.choose(in);
    }

    @Override
    public boolean awaitsHandshake() {
        return true;
    }

    /** Writes an answer of HTTP, as without such protocols, because a connection that selects none is one of HTTP. */
    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        responses.writeError(out, ReplyTerms.CLOSE, code, reason);
    }

    @Override
    public boolean ping() {
        return false;
    }

    @Override
    public void onInputEnd() {
        connection.cut();
    }

    @Override
    public void onGone() {}
}
