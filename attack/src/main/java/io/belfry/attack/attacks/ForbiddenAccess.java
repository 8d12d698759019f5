package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Attempts to use the server without permission: by pages of other sites, and with guessed tokens. Pure. */
final class ForbiddenAccess {
    private static final double PAGES_PER_SECOND = 100;
    private static final String REBOUND_NAME = "rebound.example";
    private static final String REBOUND_SUBJECT = "/attack/rebinding";

    private static final double TOKENS_PER_SECOND = 200;
    private static final int LETTERS = 26;

    private ForbiddenAccess() {}

    /**
     * Sends requests that the browser of a visitor sends for a page of another site. Every path must respond 403. If clients
     * on loopback publish without a token, DNS rebinding is tried too: a page whose host name resolves to this machine.
     */
    static void pages(AttackContext context) throws IOException {
        AttackRate rate = context.rate(PAGES_PER_SECOND);
        for (String origin : origins(context)) {
            Map<String, String> requests = requests(context.requests(), origin);
            for (String request : requests.keySet()) {
                rate.next();
                send(context, origin, request, requests.getOrDefault(request, ""));
            }
        }
        context.note(rate.count() + " requests of other sites");
        if (context.settings().token() == null
                && context.settings().entitlement().equals("basic")) {
            rebinding(context);
        }
    }

    private static List<String> origins(AttackContext context) {
        String own = context.target().origin();
        String otherScheme = own.startsWith("https") ? "http" : "https";
        return List.of(
                "http://evil.example",
                "https://evil.example",
                "null",
                own + ".evil.example",
                own + "0",
                own + "@evil.example",
                own + "/",
                own + "\tx",
                own.replaceFirst("https?", otherScheme),
                own.substring(0, own.lastIndexOf(':')),
                own + " http://evil.example",
                "file://",
                "chrome-extension://abcdef");
    }

    private static Map<String, String> requests(HttpRequests requests, String origin) {
        String header = "Origin: " + origin;
        String preflight = requests.head("OPTIONS", "/publish", header, "Access-Control-Request-Method: POST");
        return Map.of(
                "open a WebSocket session", requests.upgrade(header),
                "publish", requests.publish("/attack/cross-site", "x", header),
                "stream", requests.get("/subscribe?subject=/attack/cross-site", header),
                "poll", requests.get("/poll?subject=/attack/cross-site&wait=0", header),
                "read the history", requests.get("/history?subject=/attack/cross-site", header),
                "send a preflight request", preflight + "\r\n");
    }

    private static void send(AttackContext context, String origin, String what, String request) throws IOException {
        ParsedResponses responses = context.request(request);
        if (responses.status() != 403 && responses.status() != 400) {
            context.fault("a page of " + origin + " may " + what + ": " + responses);
        } else if (responses.all().getFirst().headers().containsKey("access-control-allow-origin")) {
            context.fault("a page of " + origin + " may read the response that refuses it");
        }
    }

    /** The server's own host name must be accepted; otherwise a refusal of the other name would prove nothing. */
    private static void rebinding(AttackContext context) throws IOException {
        String own = context.target().host();
        String rebound = REBOUND_NAME + own.substring(own.lastIndexOf(':'));
        String origin = "Origin: " + context.target().origin().replace(own, rebound);
        if (publishes(context, rebound, origin) || publishes(context, rebound)) {
            context.fault("a page whose name points to this machine may publish");
        }
        if (publishesInSession(context, rebound, origin)) {
            context.fault("a page whose name points to this machine may publish over WebSocket");
        }
        if (!publishes(context, own) || !publishesInSession(context, own)) {
            context.fault("a client on this machine may not publish, which should be allowed");
        }
        context.note("one page whose name points to this machine");
    }

    private static boolean publishes(AttackContext context, String host, String... headers) throws IOException {
        String request = new HttpRequests(host, null).publish(REBOUND_SUBJECT, "x", headers);
        return context.request(request).status() == 200;
    }

    /** The server may refuse the session (a narrow AllowedOrigins) or the publish. */
    private static boolean publishesInSession(AttackContext context, String host, String... headers)
            throws IOException {
        try (AttackConnection session = context.target().open()) {
            if (!context.upgrade(session, new HttpRequests(host, null).upgrade(headers))) {
                return false;
            }
            session.sendCommand("{\"op\":\"publish\",\"id\":1,\"subject\":\"" + REBOUND_SUBJECT + "\",\"data\":\"x\"}");
            session.await(context.timeout(), text -> text.contains("\"op\":"));
            return session.text().contains("\"op\":\"published\"");
        }
    }

    /** Sends wrong tokens, one after the other, in headers and in commands; none may be accepted. */
    static void guessTokens(AttackContext context) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        String right = String.valueOf(context.settings().token());
        // Code of the operator may accept any token that begins like the right one, so guesses must not resemble it.
        boolean custom = context.settings().entitlement().equals("custom");
        AttackRate rate = context.rate(TOKENS_PER_SECOND);
        while (rate.next()) {
            String guess = custom ? unrelated(random) : guess(random, right);
            if (rate.count() % 2 == 0) {
                inHeader(context, guess);
            } else {
                inCommand(context, guess, !custom);
            }
        }
        context.note(rate.count() + " tokens tried");
    }

    /** Returns the right token with one letter changed, cut short, or an unrelated one. */
    private static String guess(SplittableRandom random, String right) {
        return switch (random.nextInt(3)) {
            case 0 -> changed(right, random.nextInt(right.length() - 1), random.nextInt(LETTERS));
            case 1 -> right.substring(0, random.nextInt(1, right.length()));
            default -> unrelated(random);
        };
    }

    /** Never changes the last letter: in base64 some of its bits may be unused. */
    private static String changed(String right, int at, int letter) {
        char other = (char) ('A' + letter);
        char put = right.charAt(at) == other ? '_' : other;
        return right.substring(0, at) + put + right.substring(at + 1);
    }

    private static String unrelated(SplittableRandom random) {
        return Long.toString(random.nextLong(Long.MAX_VALUE), Character.MAX_RADIX);
    }

    private static void inHeader(AttackContext context, String guess) throws IOException {
        HttpRequests requests = new HttpRequests(context.target().host(), guess);
        ParsedResponses responses = context.request(requests.publish("/attack/token", "x"));
        if (responses.status() < 400) {
            context.fault("a wrong token may publish: " + responses);
        }
    }

    private static void inCommand(AttackContext context, String guess, boolean connectMustFail) throws IOException {
        try (AttackConnection session = context.target().open()) {
            context.upgrade(session, new HttpRequests(context.target().host(), null).upgrade());
            session.sendCommand("{\"op\":\"connect\",\"id\":1,\"token\":\"" + guess + "\"}");
            session.sendCommand("{\"op\":\"publish\",\"id\":2,\"subject\":\"/attack/token\",\"data\":\"x\"}");
            session.await(context.timeout(), text -> text.contains("\"op\":"));
            boolean connected = connectMustFail && session.text().contains("\"op\":\"connected\"");
            if (connected || session.text().contains("\"op\":\"published\"")) {
                context.fault("a wrong token was accepted");
            }
        }
    }
}
