package io.belfry.fuzz;

import io.belfry.server.codec.MessageInflater;
import io.belfry.server.codec.WebSocketLimits;

/** Frames of a client, with and without compression: independent of splits, within the limits, text in UTF-8. */
public final class WebSocketTarget {
    private static final WebSocketLimits PLAIN = new WebSocketLimits(20_000, 16, 64, null);
    private static final WebSocketLimits DEFLATED = PLAIN.with(new MessageInflater(20));

    private WebSocketTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        SplitInput split = SplitInput.of(input);
        split.readInAllSplits(() -> new DecodedFrames(PLAIN));
        split.readInAllSplits(() -> new DecodedFrames(DEFLATED));
    }
}
