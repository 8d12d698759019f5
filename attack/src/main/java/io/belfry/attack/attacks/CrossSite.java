package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Requests that the browser of a visitor sends for a page of another site. Every path must respond 403. If clients on
 * loopback publish without a token, DNS rebinding is tried too: a page whose host name resolves to this machine. Pure.
 */
final class CrossSite {
    private static final double PER_SECOND = 100;
    private static final String REBOUND_NAME = "rebound.example";
    private static final String REBOUND_SUBJECT = "/attack/rebinding";

    private CrossSite() {}

    static void run(AttackContext context) throws IOException {
        AttackRate rate = context.rate(PER_SECOND);
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
}
