package io.belfry.client;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;

/** The encoding of commands and events on a WebSocket. HTTP transports always use JSON. */
public enum Encoding {
    /** {@code belfry.binary.v1}: the fewest bytes and the least CPU time. */
    BINARY,
    /** {@code belfry.json.v1}: readable in a network trace. */
    JSON;

    ClientEncoding commands() {
        return this == BINARY ? new BinaryClientEncoding() : new JsonClientEncoding();
    }

    ServerEventDecoder events() {
        return this == BINARY ? new BinaryServerEvents() : new JsonServerEvents();
    }
}
