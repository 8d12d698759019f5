package io.belfry.attack.attacks;

import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import java.io.IOException;

/** Answers of megabytes, asked for with a hundred bytes each and not read. Immutable. */
record HistoryFlood() implements Attack {
    private static final int MESSAGES = 100;
    private static final int MESSAGE_BYTES = 32 << 10;
    private static final int READERS = 60;
    private static final int NARROW_BYTES = 4096;
    private static final double PUBLISHES_PER_SECOND = 400;
    private static final double READS_PER_SECOND = 60;
    private static final String SUBJECT = "/attack/history-flood";

    @Override
    public String name() {
        return "history-flood";
    }

    @Override
    public String sentence() {
        return "dozens of requests for three megabytes of history, of whose answers nothing is read";
    }

    @Override
    public void run(Field field) throws IOException {
        fill(field);
        int refused = 0;
        try (Crowd readers = new Crowd()) {
            // Filling took part of the attack's time; the readers come all the same.
            Pace pace = new Pace(READS_PER_SECOND, Long.MAX_VALUE);
            while (readers.size() + readers.refused() < READERS && pace.next()) {
                readers.add(() -> ask(field));
            }
            while (field.goesOn()) {
                Field.rest(java.time.Duration.ofMillis(50));
            }
            for (int i = 0; i < readers.size(); i++) {
                // Only the first bytes: whether it is an answer or a refusal.
                refused += readers.get(i).pollOnce().text().startsWith("HTTP/1.1 200 ") ? 0 : 1;
            }
            field.did(readers.size() + " asked, " + refused + " were not answered or refused");
        }
    }

    private static void fill(Field field) throws IOException {
        byte[] message = Frames.text(
                "{\"op\":\"publish\",\"subject\":\"" + SUBJECT + "\",\"data\":\"" + "x".repeat(MESSAGE_BYTES) + "\"}");
        try (Wire publisher = field.session()) {
            Pace pace = new Pace(PUBLISHES_PER_SECOND, Long.MAX_VALUE);
            while (pace.count() < MESSAGES && pace.next() && publisher.send(message)) {
                publisher.poll().forget();
            }
            publisher.send(Frames.text("{\"op\":\"ping\",\"id\":1}"));
            publisher.await(field.patience(), text -> text.contains("pong"));
        }
    }

    private static Wire ask(Field field) throws IOException {
        Wire wire = field.door().openNarrow(NARROW_BYTES);
        wire.send(field.requests().get("/history?subject=" + SUBJECT + "&count=" + MESSAGES));
        return wire;
    }
}
