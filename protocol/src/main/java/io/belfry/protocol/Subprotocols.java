package io.belfry.protocol;

/** The names of the encodings in {@code Sec-WebSocket-Protocol}. */
public final class Subprotocols {
    /** The JSON encoding, also used for clients that request no subprotocol. */
    public static final String JSON = "belfry.json.v1";

    /** The binary encoding. */
    public static final String BINARY = "belfry.binary.v1";

    private Subprotocols() {}
}
