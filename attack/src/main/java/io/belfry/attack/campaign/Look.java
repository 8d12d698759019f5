package io.belfry.attack.campaign;

import io.belfry.attack.server.Memory;
import io.belfry.attack.server.ServerUnderAttack;
import java.io.IOException;
import java.util.Set;

/** What is seen of the server at a moment without an attack. Immutable. */
record Look(Memory memory, int openFiles, Set<String> loops, long loopFailures, long logBytes) {
    Look {
        loops = Set.copyOf(loops);
    }

    static Look at(ServerUnderAttack server) throws IOException {
        return new Look(server.memory(), server.openFiles(), server.loops(), server.loopFailures(), server.logBytes());
    }
}
