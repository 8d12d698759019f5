package io.belfry.server.transport;

import io.belfry.protocol.Code;
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

    FirstBytesConnection(Undecided connection) {
        this.connection = connection;
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

    /** Writes nothing, because the client's protocol is not known yet. */
    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {}

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
