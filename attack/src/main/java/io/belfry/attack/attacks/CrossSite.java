package io.belfry.attack.attacks;

import io.belfry.attack.wire.Answers;
import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a page of another site makes its visitors' browsers ask: every path must answer 403. Immutable. */
record CrossSite() implements Attack {
    private static final int FORBIDDEN = 403;
    private static final double PER_SECOND = 100;

    @Override
    public String name() {
        return "cross-site";
    }

    @Override
    public String sentence() {
        return "upgrades, streams, polls and publishes that pages of other sites ask for, which must get 403";
    }

    @Override
    public void run(Field field) throws IOException {
        Pace pace = field.pace(PER_SECOND);
        int asked = 0;
        for (String origin : origins(field)) {
            for (Map.Entry<String, String> request :
                    requests(field.requests(), origin).entrySet()) {
                pace.next();
                ask(field, origin, request.getKey(), request.getValue());
                asked++;
            }
        }
        field.did(asked + " requests of other sites");
        if (Rebinding.isTold(field.facts())) {
            new Rebinding(field).run();
        }
    }

    private static List<String> origins(Field field) {
        String host = field.door().host();
        String own = field.door().origin();
        String otherScheme = field.door().isEncrypted() ? "http://" : "https://";
        return List.of(
                "http://evil.example",
                "https://evil.example",
                "null",
                own + ".evil.example",
                own + "0",
                own + "@evil.example",
                own + "/",
                own + "\tx",
                otherScheme + host,
                own.substring(0, own.lastIndexOf(':')),
                own + " http://evil.example",
                "file://",
                "chrome-extension://abcdef");
    }

    private static Map<String, String> requests(Requests requests, String origin) {
        String header = "Origin: " + origin;
        Map<String, String> all = new LinkedHashMap<>();
        all.put("open a WebSocket session", requests.upgrade(header));
        all.put("publish", requests.publish("/attack/cross-site", "x", header));
        all.put("stream", requests.get("/subscribe?subject=/attack/cross-site", header));
        all.put("poll", requests.get("/poll?subject=/attack/cross-site&wait=0", header));
        all.put("read the history", requests.get("/history?subject=/attack/cross-site", header));
        all.put(
                "ask in advance",
                requests.head("OPTIONS", "/publish", header, "Access-Control-Request-Method: POST") + "\r\n");
        return all;
    }

    private static void ask(Field field, String origin, String what, String request) throws IOException {
        try (Wire wire = field.door().open()) {
            wire.send(request);
            wire.await(field.patience(), text -> text.contains("\r\n\r\n"));
            Answers answers = Answers.of(wire.text());
            boolean refused = answers.status() == FORBIDDEN || answers.status() == 400;
            if (!refused) {
                field.gaveWay("a page of " + origin + " may " + what + ": " + answers);
            } else if (answers.all().getFirst().headers().containsKey("access-control-allow-origin")) {
                field.gaveWay("a refusal of " + origin + " lets its page read it");
            }
        }
    }
}
