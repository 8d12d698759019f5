package io.belfry.attack.attacks;

import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.TlsHello;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Connections that end with a reset after each single byte of a handshake, of a publish and of a frame. Immutable. */
record Resets() implements Attack {
    private static final double PER_SECOND = 400;

    @Override
    public String name() {
        return "handshake-resets";
    }

    @Override
    public String sentence() {
        return "connections that are reset after every byte of a handshake, a publish and a frame";
    }

    @Override
    public void run(Field field) throws IOException {
        // Each byte has its turn: this attack ends with the last one, not with its time.
        int count = 0;
        if (field.facts().encrypted()) {
            count += everyByte(field, TlsHello.bytes(), field.door()::openBare);
        }
        count += everyByte(field, ascii(field.requests().upgrade()), field.door()::open);
        count += everyByte(field, ascii(field.requests().publish("/attack/reset", "x".repeat(20))), field.door()::open);
        count += everyByte(
                field,
                Frames.text("{\"op\":\"publish\",\"subject\":\"/attack/reset\",\"data\":\"x\"}"),
                field::session);
        field.did(count + " connections reset");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static int everyByte(Field field, byte[] bytes, Crowd.Opening opening) throws IOException {
        Pace pace = field.pace(PER_SECOND);
        for (int length = 0; length <= bytes.length; length++) {
            pace.next();
            Wire wire = opening.open();
            wire.send(Arrays.copyOf(bytes, length));
            wire.reset();
        }
        return bytes.length + 1;
    }
}
