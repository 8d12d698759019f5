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
 * @param question what is asked again and again
 */
record Unread(String name, String sentence, boolean webSocket, Function<Field, byte[]> question) implements Attack {
    private static final int CONNECTIONS = 2;
    private static final int NARROW_BYTES = 4096;
    private static final int BATCH_BYTES = 600 << 10;
    private static final double BATCHES_PER_SECOND = 150;

    /** More than all buffers of the kernel's have room for, and soon reached. */
    private static final long HANDED_MAX = 96L << 20;

    /** Beyond what a server answers before its own socket is full of answers. */
    private static final long TAKEN_MAX = 24L << 20;

    static Unread pipelining() {
        return new Unread(
                "pipelining",
                "requests sent one behind the other, thousands at once, of whose answers nothing is read",
                false,
                field -> field.requests().get("/health/live").repeat(300).getBytes(StandardCharsets.US_ASCII));
    }

    static Unread pings() {
        return new Unread(
                "ping-flood",
                "pings of the largest size, thousands at once, of whose pongs nothing is read",
                true,
                field -> Frames.frame(Frames.FIN | Frames.PING, new byte[125]));
    }

    @Override
    public void run(Field field) throws IOException {
        byte[] one = question.apply(field);
        byte[] questions = Frames.repeated(one, BATCH_BYTES / one.length);
        long[] handed = new long[CONNECTIONS];
        try (Crowd crowd = new Crowd()) {
            for (int i = 0; i < CONNECTIONS; i++) {
                crowd.add(() -> open(field));
            }
            Pace pace = field.pace(BATCHES_PER_SECOND);
            while (pace.next() && offer(crowd, questions, handed)) {
                // As long as one of them has something to take.
            }
            judge(crowd, field);
        }
    }

    private static void judge(Crowd crowd, Field field) throws IOException {
        long all = 0;
        for (int i = 0; i < crowd.size(); i++) {
            Wire wire = crowd.get(i);
            long taken = wire.bytesTaken();
            // What an ended connection had brought and nobody read was thrown away. Not more than a little is read: the
            // server would go on.
            taken = wire.pollOnce().isEnded() ? 0 : taken;
            all += taken;
            if (taken >= TAKEN_MAX) {
                field.gaveWay("the server took " + (taken >> 20) + " MB of questions whose answers nobody read");
            }
        }
        field.did((all >> 10) + " KB of questions taken on " + crowd.size() + " connections");
    }

    /** To the first that takes it: one after the other is filled. False when all were handed enough. */
    private static boolean offer(Crowd crowd, byte[] questions, long[] handed) {
        boolean goesOn = false;
        for (int i = 0; i < crowd.size(); i++) {
            boolean mayTake = handed[i] < HANDED_MAX;
            goesOn |= mayTake;
            if (mayTake && crowd.get(i).offer(questions)) {
                handed[i] += questions.length;
                return true;
            }
        }
        return goesOn;
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
