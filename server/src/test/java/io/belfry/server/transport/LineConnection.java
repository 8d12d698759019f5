package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.WireFormat;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.session.Session;
import io.belfry.server.workgroup.Lane;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** A TCP connection of {@link LineProtocolTest}. Owner: the loop. */
final class LineConnection implements Phase {
    private final Connection connection;
    private final WireFormat format;
    private final CommandDecoder decoder;
    private @Nullable Session session;

    LineConnection(Connection connection, WireFormat format, CommandDecoder decoder) {
        this.connection = connection;
        this.format = format;
        this.decoder = decoder;
        lane().admit(new Entitlement.Credentials(null, connection.isLoopback()), this::onDecided);
    }

    private Lane lane() {
        return connection.context().lane();
    }

    private void onDecided(Entitlement.Answer answer) {
        if (answer instanceof Entitlement.Answer.Accepted accepted && !connection.isOver()) {
            connection.onKnown();
            session = lane().open(connection, format, accepted.principal());
            connection.session(session);
            connection.resume();
        } else {
            connection.end(Code.UNAUTHORIZED, "");
        }
    }

    @Override
    public void onBytes(ByteBuf in) {
        int end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
        while (session != null && !session.isClosed() && end >= 0) {
            decoder.decode(in, in.readerIndex(), end - in.readerIndex(), lane().commands(session));
            in.readerIndex(end + 1);
            end = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
        }
    }

    @Override
    public void writeEnd(ByteBuf out, Code code, String reason) {
        format.error(out, 0, code, reason, null, 0);
    }

    @Override
    public boolean ping() {
        ByteBuf out = connection.context().scratch();
        format.keepAlive(out);
        connection.stage(out, 0, out.readableBytes());
        return false;
    }

    @Override
    public void onInputEnd() {
        connection.cut();
    }

    @Override
    public void onGone() {}
}
