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
    /** The methods of the connection that this phase calls. */
    interface Proxied {
        /** Sets the client's address; returns the code of a refusal, or null. */
        @Nullable
        Code comesFrom(@Nullable InetAddress client);

        /** Changes to the phase of the client, with TLS if required. */
        void begin(Phase first);

        void refuse(Code code, String reason);

        boolean isSecure();

        void readAgain(ByteBuf bytes);

        void cut();
    }

    private final Proxied connection;
    private final Phase first;

    /** {@code first} is the phase of the bytes after the header. */
    ProxiedConnection(Proxied connection, Phase first) {
        this.connection = connection;
        this.first = first;
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
        connection.begin(first);
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
