package io.belfry.plan.input;

/**
 * One node, and how much of it may be used. Immutable.
 *
 * @param busy the share of the processors, and of the network, that ordinary work may take
 * @param peak the share of the processors that may be taken while clients of a failed node come
 * @param memoryShare the share of the memory for the server and its sockets
 * @param connectRate {@code Limit.ConnectRate}
 */
public record Machine(
        double cores,
        long memoryBytes,
        double bitsPerSecond,
        long openFiles,
        double busy,
        double peak,
        double memoryShare,
        double connectRate) {
    public Machine {
        if (cores <= 0 || memoryBytes <= 0) {
            throw Nonsense.badValue("a node", "has processors and memory", cores + " cores, " + memoryBytes + " bytes");
        }
        if (busy <= 0 || memoryShare <= 0 || peak < busy) {
            throw new Nonsense(
                    Trouble.CONTRADICTION, "--peak is not below --busy, and none of these shares is nothing");
        }
    }
}
