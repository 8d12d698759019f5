package io.belfry.server.codec;

import io.belfry.protocol.Subprotocols;
import org.jspecify.annotations.Nullable;

/** The WebSocket subprotocols of the server. */
public enum Subprotocol {
    JSON(Subprotocols.JSON),
    BINARY(Subprotocols.BINARY);

    private final String text;

    Subprotocol(String text) {
        this.text = text;
    }

    /** Returns the name used in Sec-WebSocket-Protocol. */
    public String text() {
        return text;
    }

    /**
     * Returns the subprotocol of this name, or null. The comparison is exact, as in browsers (RFC 6455, section 4.1).
     */
    static @Nullable Subprotocol of(String text) {
        return text.equals(JSON.text) ? JSON : text.equals(BINARY.text) ? BINARY : null;
    }
}
