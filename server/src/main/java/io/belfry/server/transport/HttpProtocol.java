package io.belfry.server.transport;

import io.belfry.protocol.WireFormat;
import java.util.List;

/** A protocol that HTTP paths select. Immutable. */
record HttpProtocol(String name, List<HttpEndpoint> endpoints, List<WireFormat> formats) implements ClientProtocol {
    HttpProtocol(String name, HttpEndpoint... endpoints) {
        this(name, List.of(endpoints), List.of());
    }
}
