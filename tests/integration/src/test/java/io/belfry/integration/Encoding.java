package io.belfry.integration;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;

/** The two ways to speak. */
enum Encoding {
    JSON,
    BINARY;

    ClientEncoding client() {
        return this == JSON ? new JsonClientEncoding() : new BinaryClientEncoding();
    }

    ServerEventDecoder events() {
        return this == JSON ? new JsonServerEvents() : new BinaryServerEvents();
    }

    int opcode() {
        return Frames.FIN | (this == JSON ? Frames.TEXT : Frames.BINARY);
    }

    String header() {
        return "Sec-WebSocket-Protocol: " + client().subprotocol();
    }
}
