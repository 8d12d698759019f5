package io.belfry.server.cluster;

import io.belfry.server.cluster.PlayedMembers.Node;
import io.belfry.server.cluster.PlayedMembers.Report;
import io.belfry.server.cluster.PlayedMembers.World;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * Measures the heap that a member of a subject needs in a cluster: on the node that reports it, and on another one. The nodes are
 * those of {@link PlayedMembers}, without Kafka. The membership of the session itself is not part of it. Run by hand:
 * docs/benchmarks/2026-11-27-presence-memory.
 */
final class MemberMemory {
    private MemberMemory() {}

    /** Arguments: number of members, bytes of the info of each, and the greatest number in a list. */
    public static void main(String... arguments) {
        int members = Integer.parseInt(arguments[0]);
        int infoBytes = Integer.parseInt(arguments[1]);
        int listed = Integer.parseInt(arguments[2]);
        for (int round = 0; round < 2; round++) {
            measure(members, infoBytes, listed);
        }
    }

    private static void measure(int members, int infoBytes, int listed) {
        World world = new World(1, listed);
        Node reporting = world.start();
        world.pass(2_000);
        String[] users = new String[members];
        @Nullable String[] infos = new String[members];
        for (int i = 0; i < members; i++) {
            users[i] = "user_%07d".formatted(i);
            infos[i] = infoBytes == 0 ? null : "{\"n\":\"" + ("%0" + (infoBytes - 8) + "d").formatted(i) + "\"}";
        }
        long before = usedHeap(world);
        for (int i = 0; i < members; i++) {
            reporting.exchange.enter(PlayedMembers.ROOM, users[i], infos[i]);
        }
        world.pass(5_000);
        long own = usedHeap(world) - before;
        Node other = world.start();
        world.pass(20_000);
        long afterOther = usedHeap(world) - before - own;
        System.out.printf(
                "%d members with %d bytes of info, %s: %.1f bytes each on their own node, %.1f bytes on another node%n",
                other.rooms.list(PlayedMembers.NAME).users(),
                infoBytes,
                listed >= members ? "in a list" : "counts only",
                own / (double) members,
                afterOther / (double) members);
        // The texts belong to the sessions, so they are no part of the figures.
        if (reporting.rooms.list(PlayedMembers.NAME).users() != users.length || infos.length != members) {
            throw new IllegalStateException("members are missing");
        }
    }

    /** Returns the heap in use after a collection, without the logs and what the simulation notes about members. */
    private static long usedHeap(World world) {
        world.told.clear();
        world.observer.clear();
        Collections.fill(world.messages, new byte[0]);
        if (!world.reports.isEmpty()) {
            Report last = world.reports.getLast();
            Collections.fill(world.reports, last);
        }
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
