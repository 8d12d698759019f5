package io.belfry.integration;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryServerEvents;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonServerEvents;
import io.belfry.protocol.ServerEventDecoder;
import io.belfry.testsupport.TestScope;
import java.util.List;
import java.util.stream.Stream;

/** The two encodings of the WebSocket protocol. */
public enum WireEncoding {
    JSON,
    BINARY;

    /** Returns the encodings for slow tests: both in the complete form, otherwise the first. */
    static Stream<WireEncoding> ofThisRun() {
        return TestScope.variants(List.of(values()));
    }

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
