package io.belfry.server.transport;

import io.belfry.protocol.Code;
import io.belfry.server.codec.ProxyHeader;
import io.netty.buffer.ByteBuf;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connection of a trusted proxy before its PROXY header is complete. The bytes after the header are those of the
 * client, encrypted or not. Owner: the loop.
 */
final class ProxiedConnection implements Phase {
    private final Connection connection;

    ProxiedConnection(Connection connection) {
        this.connection = connection;
    }

    @Override
    public void onBytes(ByteBuf in) {
        switch (ProxyHeader.read(in)) {
            case ProxyHeader.Result.NeedMore needMore -> {}
            case ProxyHeader.Result.Malformed malformed -> connection.refuse(Code.BAD_PROXY_HEADER, malformed.why());
            case ProxyHeader.Result.Whole whole -> begin(whole.client(), in);
        }
    }

    private void begin(@Nullable InetAddress client, ByteBuf in) {
        Code refusal = connection.comesFrom(client);
        connection.begin();
        if (refusal != null) {
            connection.refuse(refusal, refusal.sentence());
        } else if (connection.isSecure() && in.isReadable()) {
            connection.readAgain(in.readBytes(in.readableBytes()));
        }
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
