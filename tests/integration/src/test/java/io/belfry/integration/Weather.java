package io.belfry.integration;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What a network does to its lines: whether and after which byte each ends, and when it stands still. Drawn from a seed.
 * Any thread.
 */
final class Weather {
    /** No line ends or waits. */
    static final Weather FAIR = new Weather(0, 0);

    /** While such a line stands still little lies between, and the server feels it. */
    private static final int RECEIVE_BYTES = 4096;

    private static final long STALL_MILLIS_MAX = 6000;
    private static final long NAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Random random;
    private final int stallOneIn;
    private volatile boolean fair;
    private volatile boolean held;

    private Weather(long seed, int stallOneIn) {
        random = new Random(seed);
        this.stallOneIn = stallOneIn;
        fair = stallOneIn == 0;
    }

    /** One of its own in which nothing happens until it is told to. */
    static Weather calm() {
        return new Weather(0, 0);
    }

    /** {@code stallOneIn}: after about so many times that some bytes passed half of the lines stand still. */
    static Weather rough(long seed, int stallOneIn) {
        return new Weather(seed, stallOneIn);
    }

    /** Whether from now on nothing passes on any line, as where packets vanish: lines neither end nor are refused. */
    void hold(boolean nothingPasses) {
        held = nothingPasses;
    }

    /** From now on every line stands, and what stood still goes on. */
    void clear() {
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

    /** One direction of a new line. */
    Way way() {
        return fair ? new Way(Long.MAX_VALUE, 0) : new Way(bytesUntilCut(), chance(2) ? 1 + number(2 * stallOneIn) : 0);
    }

    /** Some lines end in their handshake, some in a first message, some late. */
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

    /** One direction of a line. Owner: the thread that carries its bytes. */
    final class Way {
        private final int stallOneIn;
        private long bytesLeft;

        private Way(long bytesLeft, int stallOneIn) {
            this.bytesLeft = bytesLeft;
            this.stallOneIn = stallOneIn;
        }

        /** How many of these bytes pass before the line ends; may take its time. */
        int pass(int count) {
            while (held) {
                LockSupport.parkNanos(NAP_NANOS);
            }
            if (fair) {
                return count;
            }
            if (stallOneIn > 0 && chance(stallOneIn)) {
                standStill(number((int) STALL_MILLIS_MAX));
            }
            int passed = (int) Math.min(count, bytesLeft);
            bytesLeft -= passed;
            return passed;
        }

        private void standStill(long millis) {
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
            while (!fair && System.nanoTime() - end < 0) {
                LockSupport.parkNanos(NAP_NANOS);
            }
        }
    }
}
