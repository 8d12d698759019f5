package io.belfry.integration;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;

/** The two encodings of the WebSocket protocol. */
public enum WireEncoding {
    JSON,
    BINARY;

    ClientEncoding client() {
        return this == JSON ? new JsonClientEncoding() : new BinaryClientEncoding();
    }

    ServerEventDecoder events() {
        return this == JSON ? new JsonServerEvents() : new BinaryServerEvents();
    }

    int opcode() {
        return SocketFrames.FIN | (this == JSON ? SocketFrames.TEXT : SocketFrames.BINARY);
    }

    String header() {
        return "Sec-WebSocket-Protocol: " + client().subprotocol();
    }
}
