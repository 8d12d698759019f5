package io.belfry.attack.attacks;

import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import java.io.IOException;

/** Subscribers that read nothing of what they asked for. Immutable. */
record SlowReaders() implements Attack {
    private static final int READERS = 40;
    private static final int NARROW_BYTES = 4096;
    private static final int MESSAGE_BYTES = 32 << 10;
    private static final double PER_SECOND = 40;
    private static final String SUBJECT = "/attack/slow-readers";

    @Override
    public String name() {
        return "slow-readers";
    }

    @Override
    public String sentence() {
        return "subscribers of large messages, by WebSocket and by stream, that read nothing";
    }

    @Override
    public void run(Field field) throws IOException {
        byte[] message = Frames.text(
                "{\"op\":\"publish\",\"subject\":\"" + SUBJECT + "\",\"data\":\"" + "x".repeat(MESSAGE_BYTES) + "\"}");
        try (Crowd readers = new Crowd();
                Wire publisher = field.session()) {
            for (int i = 0; i < READERS; i++) {
                boolean stream = i % 2 == 0;
                readers.add(() -> stream ? stream(field) : webSocket(field));
            }
            Pace pace = field.pace(PER_SECOND);
            while (pace.next()) {
                publisher.offer(message);
                publisher.poll().forget();
            }
            field.did(readers.size() + " readers of " + pace.count() + " messages of 32 KB, none read");
        }
    }

    private static Wire stream(Field field) throws IOException {
        Wire wire = field.door().openNarrow(NARROW_BYTES);
        wire.send(field.requests().get("/subscribe?subject=" + SUBJECT));
        return wire;
    }

    private static Wire webSocket(Field field) throws IOException {
        Wire wire = field.door().openNarrow(NARROW_BYTES);
        field.upgrade(wire);
        wire.send(Frames.text("{\"op\":\"subscribe\",\"id\":1,\"subject\":\"" + SUBJECT + "\"}"));
        return wire;
    }
}
