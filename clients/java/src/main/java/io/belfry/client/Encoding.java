package io.belfry.client;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;

/** How commands and events are written on a WebSocket. HTTP streams are JSON always. */
public enum Encoding {
    /** {@code belfry.binary.v1}: the fewest bytes and the least work. */
    BINARY,
    /** {@code belfry.json.v1}: readable in a trace. */
    JSON;

    ClientEncoding commands() {
        return this == BINARY ? new BinaryClientEncoding() : new JsonClientEncoding();
    }

    ServerEventDecoder events() {
        return this == BINARY ? new BinaryServerEvents() : new JsonServerEvents();
    }
}
