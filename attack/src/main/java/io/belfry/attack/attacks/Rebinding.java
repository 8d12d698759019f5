package io.belfry.attack.attacks;

import io.belfry.attack.server.Facts;
import io.belfry.attack.wire.Answers;
import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A page whose owner has its name point to this machine, so that its visitor's browser takes it for one of the server's
 * own origin. Where clients on loopback publish without a token, it must not. The same is asked under the server's own name,
 * where it must be granted: otherwise nothing was shown. Owner: the attacking thread.
 */
final class Rebinding {
    private static final String SUBJECT = "/attack/rebinding";
    private static final String NAME = "rebound.example";

    private final Field field;

    Rebinding(Field field) {
        this.field = field;
    }

    /** Whether it matters who calls this machine how: where no token is needed, and not everybody may do everything. */
    static boolean isTold(Facts facts) {
        return facts.token() == null
                && facts.entitlement().toLowerCase(Locale.ROOT).equals("basic");
    }

    void run() throws IOException {
        String page = NAME + field.door().host().replaceFirst("[^:]*", "");
        String origin = "Origin: " + field.door().origin().replaceFirst("//.*", "//" + page);
        if (publishes(page, origin) || publishes(page, null)) {
            field.gaveWay("a page whose name points to this machine may publish");
        }
        if (publishesInASession(page, origin)) {
            field.gaveWay("a page whose name points to this machine may publish over WebSocket");
        }
        if (!publishes(field.door().host(), null)
                || !publishesInASession(field.door().host(), null)) {
            field.gaveWay("a client on this machine may not publish, which should be granted");
        }
        field.did("a page whose name points here");
    }

    private static String[] headers(@Nullable String origin) {
        return origin == null ? new String[0] : new String[] {origin};
    }

    private boolean publishes(String host, @Nullable String origin) throws IOException {
        try (Wire wire = field.door().open()) {
            wire.send(new Requests(host, null).publish(SUBJECT, "x", headers(origin)));
            wire.await(field.patience(), text -> text.contains("\r\n\r\n"));
            return Answers.of(wire.text()).status() == 200;
        }
    }

    /** A session is granted, as everybody may read; or not, where AllowedOrigins is narrow. */
    private boolean publishesInASession(String host, @Nullable String origin) throws IOException {
        try (Wire wire = field.door().open()) {
            wire.send(new Requests(host, null).upgrade(headers(origin)));
            wire.await(field.patience(), text -> text.contains("\r\n\r\n"));
            if (!wire.text().startsWith("HTTP/1.1 101 ")) {
                return false;
            }
            wire.forget();
            wire.send(Frames.text("{\"op\":\"publish\",\"id\":1,\"subject\":\"" + SUBJECT + "\",\"data\":\"x\"}"));
            wire.await(field.patience(), text -> isAnswered(wire));
            return texts(wire).stream().anyMatch(text -> text.contains("\"published\""));
        }
    }

    private static boolean isAnswered(Wire wire) {
        return !texts(wire).isEmpty();
    }

    private static List<String> texts(Wire wire) {
        return Frames.of(wire.bytes()).stream().map(Frames.Frame::text).toList();
    }
}
