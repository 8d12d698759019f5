package io.belfry.server.transport;

import io.belfry.protocol.BelfryFormat;
import io.belfry.protocol.CommandDecoder;
import io.belfry.protocol.Subprotocols;
import io.belfry.protocol.WireFormat;
import java.util.List;

/** Belfry's own subprotocols of WebSocket. Immutable. */
record BelfryMessages(String name, boolean isBinary) implements MessageProtocol {
    static final MessageProtocol JSON = new BelfryMessages(Subprotocols.JSON, false);
    static final MessageProtocol BINARY = new BelfryMessages(Subprotocols.BINARY, true);

    @Override
    public List<WireFormat> formats() {
        return List.of(format(false), format(true));
    }

    @Override
    public WireFormat format(boolean deflated) {
        return BelfryFormat.ofWebSocket(isBinary(), deflated);
    }

    @Override
    public CommandDecoder decoder(Connection connection) {
        LoopContext context = connection.context();
        return isBinary() ? context.binary() : context.json();
    }
}
