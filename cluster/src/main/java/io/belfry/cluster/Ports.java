package io.belfry.cluster;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds free ports of loopback. A broker binds its ports seconds later, and again after each restart. The ports are
 * therefore below those from which an operating system takes the ports of outgoing connections and of port 0, and two
 * processes search in different places.
 */
public final class Ports {
    private static final int FIRST = 15_000;
    private static final int LIMIT = 30_000;
    private static final int PER_PROCESS = 100;

    /** The port to try next. Guarded by this class. */
    private static int next = FIRST + (int) (ProcessHandle.current().pid() * PER_PROCESS % (LIMIT - FIRST));

    private Ports() {}

    /** Returns this number of free ports, each of them once in this process until all have been returned. */
    public static synchronized List<Integer> free(int count) throws IOException {
        List<Integer> found = new ArrayList<>();
        for (int tries = 0; found.size() < count; tries++) {
            if (tries == LIMIT - FIRST) {
                throw new IOException("no free port from " + FIRST + " to " + (LIMIT - 1));
            }
            if (isFree(next)) {
                found.add(next);
            }
            next = next + 1 < LIMIT ? next + 1 : FIRST;
        }
        return found;
    }

    private static boolean isFree(int port) throws IOException {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (BindException taken) {
            return false;
        }
    }
}
