package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.ReplyTerms;
import io.netty.buffer.ByteBuf;

/** A connection whose first bytes have not selected a protocol yet. Without such protocols it is not used. Owner: the loop. */
final class FirstBytesConnection implements Phase {
    private final Connection connection;
    private final ClientProtocols protocols;

    FirstBytesConnection(Connection connection, ClientProtocols protocols) {
        this.connection = connection;
        this.protocols = protocols;
    }

    /** Reads nothing: the bytes are passed to the next phase. */
    @Override
    public void onBytes(ByteBuf in) {
        Phase selected = protocols.select(in, connection, () -> new HttpConnection(connection, protocols));
        if (selected != null) {
            connection.become(selected);
        }
    }

    @Override
    public boolean awaitsHandshake() {
        return true;
    }

    /** Writes an answer of HTTP, as without such protocols, because a connection that selects none is one of HTTP. */
    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        connection.context().responses().writeError(out, ReplyTerms.CLOSE, code, reason);
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
