package io.belfry.fuzz;

import io.belfry.server.codec.MessageInflater;
import io.belfry.server.codec.WebSocketLimits;

/** Frames of a client, with and without compression: the same however they are cut, within the bounds, text in UTF-8. */
public final class WebSocketTarget {
    private static final WebSocketLimits PLAIN = new WebSocketLimits(20_000, 16, 64, null);
    private static final WebSocketLimits DEFLATED = PLAIN.with(new MessageInflater(20));

    private WebSocketTarget() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Pieces pieces = Pieces.of(input);
        pieces.readEveryWay(() -> new ToldFrames(PLAIN));
        pieces.readEveryWay(() -> new ToldFrames(DEFLATED));
    }
}
