package io.belfry.fuzz;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryCommands;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonCommands;

/** Frames of {@code belfry.binary.v1}: one valid call each, and the same command after encoding it again in either encoding. */
public final class BinaryCommandsTarget {
    private static final BinaryCommands BINARY = new BinaryCommands();
    private static final JsonCommands JSON = new JsonCommands();
    private static final ClientEncoding AS_BINARY = new BinaryClientEncoding();
    private static final ClientEncoding AS_JSON = new JsonClientEncoding();

    private BinaryCommandsTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        check(DecodedCommands.of(BINARY, input));
    }

    static void check(DecodedCommands commands) {
        byte[] binary = commands.in(AS_BINARY);
        byte[] json = commands.in(AS_JSON);
        if (binary != null && json != null) {
            requireSame(commands, DecodedCommands.of(BINARY, binary));
            requireSame(commands, DecodedCommands.of(JSON, json));
        }
    }

    private static void requireSame(DecodedCommands first, DecodedCommands again) {
        SplitInput.require(first.text().equals(again.text()), first.text() + " became " + again.text());
    }
}
