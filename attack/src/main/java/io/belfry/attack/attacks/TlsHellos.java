package io.belfry.attack.attacks;

import io.belfry.attack.server.Facts;
import io.belfry.attack.wire.TlsHello;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** TLS handshakes that are none: half hellos, garbage, hellos of megabytes, and whole ones many a second. Immutable. */
record TlsHellos() implements Attack {
    private static final int HALF = 100;
    private static final double HANDSHAKES_PER_SECOND = 50;
    private static final Duration FLOOD = Duration.ofSeconds(1);
    private static final int HELLO_BYTES_MAX = 1 << 20;
    private static final int PIECE_BYTES = 8 << 10;

    @Override
    public String name() {
        return "tls-hellos";
    }

    @Override
    public String sentence() {
        return "half hellos, garbage, hellos of a megabyte and floods of whole TLS handshakes";
    }

    @Override
    public Optional<String> off(Facts facts) {
        return facts.encrypted() ? Optional.empty() : Optional.of("off in this configuration: ListenEncrypted");
    }

    @Override
    public void run(Field field) throws IOException {
        byte[] hello = TlsHello.bytes();
        long begun = System.nanoTime();
        try (Crowd half = new Crowd()) {
            for (int i = 0; i < HALF; i++) {
                half.add(field.door()::openBare);
            }
            for (int i = 0; i < half.size(); i++) {
                half.get(i).send(Arrays.copyOf(hello, hello.length * i / HALF));
            }
            mustEnd(field, "garbage", garbage());
            mustEnd(
                    field,
                    "plain HTTP",
                    field.requests().get("/health/live").getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            mustEnd(field, "a record of 65,535 bytes", TlsHello.longRecord());
            mustEnd(field, "SSL 2", new byte[] {(byte) 0x80, 0x2E, 1, 0, 2, 0, 21, 0, 0, 0, 16});
            oversized(field);
            handshakes(field);
            awaitCut(field, half, begun);
        }
    }

    private static byte[] garbage() {
        byte[] garbage = new byte[1024];
        for (int i = 0; i < garbage.length; i++) {
            garbage[i] = (byte) (i * 31 + 7);
        }
        return garbage;
    }

    private static void mustEnd(Field field, String what, byte[] bytes) throws IOException {
        try (Wire wire = field.door().openBare()) {
            wire.send(bytes);
            if (!wire.awaitEnd(Stalling.bound(field))) {
                field.gaveWay(what + " instead of a TLS hello did not end the connection");
            }
        }
    }

    private static void oversized(Field field) throws IOException {
        try (Wire wire = field.door().openBare()) {
            wire.send(TlsHello.oversized());
            int sent = 0;
            while (sent < HELLO_BYTES_MAX
                    && wire.send(TlsHello.more(PIECE_BYTES))
                    && !wire.poll().isEnded()) {
                sent += PIECE_BYTES;
            }
            if (!wire.awaitEnd(Duration.ofMillis(500))) {
                field.gaveWay("a TLS hello of " + (sent >> 10) + " KB was taken");
            }
        }
    }

    private static void handshakes(Field field) throws IOException {
        // What went before took a part of the attack's time; a second is left for them in any case.
        Pace pace = new Pace(HANDSHAKES_PER_SECOND, System.nanoTime() + FLOOD.toNanos());
        while (pace.next()) {
            field.door().open().reset();
        }
        field.did(pace.count() + " whole handshakes");
    }

    private static void awaitCut(Field field, Crowd half, long begun) {
        long end = begun + Stalling.bound(field).toNanos();
        while (half.open() > 0 && System.nanoTime() < end) {
            Field.rest(Duration.ofMillis(100));
        }
        double seconds = (System.nanoTime() - begun) / 1e9;
        if (half.open() > 0) {
            field.gaveWay(String.format(
                    Locale.ROOT,
                    "%d of %d half hellos are still open after %.1f s",
                    half.open(),
                    half.size(),
                    seconds));
        } else {
            field.did(String.format(Locale.ROOT, "%d half hellos cut within %.1f s", half.size(), seconds));
        }
    }
}
