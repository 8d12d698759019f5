package io.belfry.integration;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Faults of the network between clients and servers: the byte after which a connection ends, and the times at which it
 * stalls. Drawn from a seed. Any thread.
 */
public final class NetworkFaults {
    /** No connection ends or stalls. */
    static final NetworkFaults FAIR = new NetworkFaults(0, 0);

    /** A small buffer: while such a connection stalls few bytes are in transit, so the server notices. */
    private static final int RECEIVE_BYTES = 4096;

    private static final long STALL_MILLIS_MAX = 6000;
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Random random;
    private final int stallOneIn;
    private volatile boolean fair;
    private volatile boolean held;
    private volatile long endAfterBytes = Long.MAX_VALUE;

    private NetworkFaults(long seed, int stallOneIn) {
        random = new Random(seed);
        this.stallOneIn = stallOneIn;
        fair = stallOneIn == 0;
    }

    /** Creates a separate network without faults until a test adds some. */
    public static NetworkFaults calm() {
        return new NetworkFaults(0, 0);
    }

    /** {@code stallOneIn}: half of the connections stall after about this number of forwarded reads. */
    public static NetworkFaults rough(long seed, int stallOneIn) {
        return new NetworkFaults(seed, stallOneIn);
    }

    /** Sets whether all bytes are held from now on, as with lost packets: connections neither end nor are refused. */
    public void hold(boolean nothingPasses) {
        held = nothingPasses;
    }

    /** Ends each later connection after this many bytes in one direction. */
    public void endAfter(long bytes) {
        endAfterBytes = bytes;
        fair = false;
    }

    /** Ends all faults: from now on every connection stays open, and stalled ones continue. */
    public void clear() {
        fair = true;
    }

    Socket connect(int port) throws IOException {
        Socket socket = new Socket();
        if (!fair && chance(2)) {
            socket.setReceiveBufferSize(RECEIVE_BYTES);
        }
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return socket;
    }

    /** Returns the faults of one direction of a new connection. */
    Direction direction() {
        if (fair) {
            return new Direction(Long.MAX_VALUE, 0);
        }
        return stallOneIn == 0
                ? new Direction(endAfterBytes, 0)
                : new Direction(bytesUntilCut(), chance(2) ? 1 + number(2 * stallOneIn) : 0);
    }

    /** Some connections end in their handshake, some in a first message, some late. */
    private long bytesUntilCut() {
        return switch (number(8)) {
            case 0 -> number(600);
            case 1, 2 -> number(6000);
            case 3, 4 -> number(60_000);
            case 5 -> Long.MAX_VALUE;
            default -> number(600_000);
        };
    }

    private synchronized int number(int bound) {
        return random.nextInt(bound);
    }

    private boolean chance(int oneIn) {
        return number(oneIn) == 0;
    }

    /** One direction of a connection. Owner: the thread that forwards its bytes. */
    final class Direction {
        private final int stallOneIn;
        private long bytesLeft;

        private Direction(long bytesLeft, int stallOneIn) {
            this.bytesLeft = bytesLeft;
            this.stallOneIn = stallOneIn;
        }

        /** Returns how many of these bytes pass before the connection ends; may block. */
        int pass(int count) {
            while (held) {
                LockSupport.parkNanos(NAP_NANOS);
            }
            if (fair) {
                return count;
            }
            if (stallOneIn > 0 && chance(stallOneIn)) {
                stall(number((int) STALL_MILLIS_MAX));
            }
            int passed = (int) Math.min(count, bytesLeft);
            bytesLeft -= passed;
            return passed;
        }

        private void stall(long millis) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            while (!fair && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }
}
