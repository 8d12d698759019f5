package io.belfry.attack.attacks;

import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

/**
 * Connections that ask and ask and never read an answer. The server must stop taking, or end them: otherwise their
 * answers are its memory. Immutable.
 *
 * @param webSocket what is asked is sent over a session
 * @param batch a number of questions, sent again and again
 */
record Unread(String name, String sentence, boolean webSocket, Function<Field, byte[]> batch) implements Attack {
    private static final int CONNECTIONS = 10;
    private static final int NARROW_BYTES = 4096;
    private static final double BATCHES_PER_SECOND = 200;

    /** More than all buffers of the kernel's between two sockets have room for. */
    private static final long TAKEN_MAX = 64L << 20;

    static Unread pipelining() {
        return new Unread(
                "pipelining",
                "requests sent one behind the other, hundreds at once, of whose answers nothing is read",
                false,
                field -> field.requests().get("/health/live").repeat(300).getBytes(StandardCharsets.US_ASCII));
    }

    static Unread pings() {
        return new Unread(
                "ping-flood",
                "pings of the largest size and ping commands, of whose pongs nothing is read",
                true,
                field -> Frames.repeated(Frames.frame(Frames.FIN | Frames.PING, new byte[125]), 100));
    }

    @Override
    public void run(Field field) throws IOException {
        byte[] questions = batch.apply(field);
        long[] taken = new long[CONNECTIONS];
        try (Crowd crowd = new Crowd()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                crowd.add(() -> open(field));
            }
            Pace pace = field.pace(BATCHES_PER_SECOND);
            while (pace.next()) {
                int turn = pace.count() % crowd.size();
                taken[turn] += crowd.get(turn).offer(questions) ? questions.length : 0;
            }
            long all = 0;
            for (long each : taken) {
                all += each;
                if (each > TAKEN_MAX) {
                    field.gaveWay("the server took " + (each >> 20) + " MB of questions whose answers nobody read");
                }
            }
            field.did((all >> 10) + " KB of questions taken on " + CONNECTIONS + " connections");
        }
    }

    private Wire open(Field field) throws IOException {
        Wire wire = field.door().openNarrow(NARROW_BYTES);
        if (webSocket && !field.upgrade(wire)) {
            wire.close();
            throw new IOException("no WebSocket session");
        }
        return wire;
    }
}
