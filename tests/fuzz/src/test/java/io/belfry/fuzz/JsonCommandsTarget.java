package io.belfry.fuzz;

import io.belfry.protocol.JsonCommands;

/** A frame of {@code belfry.json.v1}: as {@link BinaryCommandsTarget}. */
public final class JsonCommandsTarget {
    private static final JsonCommands JSON = new JsonCommands();

    private JsonCommandsTarget() {}

    public static void fuzzerTestOneInput(byte[] input) {
        ToldCommands commands = ToldCommands.of(JSON, input);
        Pieces.require(ToldCommands.of(JSON, input).text().equals(commands.text()), "the same the second time");
        BinaryCommandsTarget.check(commands);
    }
}
