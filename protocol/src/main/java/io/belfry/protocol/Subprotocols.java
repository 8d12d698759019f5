package io.belfry.protocol;

/** The names of the encodings in {@code Sec-WebSocket-Protocol}. */
public final class Subprotocols {
    /** Also what is spoken when a client asks for none. */
    public static final String JSON = "belfry.json.v1";

    public static final String BINARY = "belfry.binary.v1";

    private Subprotocols() {}
}
