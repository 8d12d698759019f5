package io.belfry.fuzz;

import io.belfry.protocol.JsonCommands;

/** Frames of {@code belfry.json.v1}, with the checks of {@link BinaryCommandsTarget}. */
public final class JsonCommandsTarget {
    private static final JsonCommands JSON = new JsonCommands();

    private JsonCommandsTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        DecodedCommands commands = DecodedCommands.of(JSON, input);
        SplitInput.require(
                DecodedCommands.of(JSON, input).text().equals(commands.text()),
                "decoding twice gave different results");
        BinaryCommandsTarget.check(commands);
    }
}
