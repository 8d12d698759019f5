package io.belfry.fuzz;

import io.belfry.protocol.BinaryClientEncoding;
import io.belfry.protocol.BinaryCommands;
import io.belfry.protocol.ClientEncoding;
import io.belfry.protocol.JsonClientEncoding;
import io.belfry.protocol.JsonCommands;

/** A frame of {@code belfry.binary.v1}: one call, valid, and the same command when it is said again in either encoding. */
public final class BinaryCommandsTarget {
    private static final BinaryCommands BINARY = new BinaryCommands();
    private static final JsonCommands JSON = new JsonCommands();
    private static final ClientEncoding AS_BINARY = new BinaryClientEncoding();
    private static final ClientEncoding AS_JSON = new JsonClientEncoding();

    private BinaryCommandsTarget() {}

    public static void fuzzerTestOneInput(byte[] input) {
        check(ToldCommands.of(BINARY, input));
    }

    static void check(ToldCommands commands) {
        byte[] binary = commands.in(AS_BINARY);
        byte[] json = commands.in(AS_JSON);
        if (binary != null && json != null) {
            requireSame(commands, ToldCommands.of(BINARY, binary));
            requireSame(commands, ToldCommands.of(JSON, json));
        }
    }

    private static void requireSame(ToldCommands first, ToldCommands again) {
        Pieces.require(first.text().equals(again.text()), first.text() + " became " + again.text());
    }
}
