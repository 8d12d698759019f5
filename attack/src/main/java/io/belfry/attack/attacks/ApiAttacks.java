package io.belfry.attack.attacks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Attacks on the listener of the server API: wrong keys, malformed calls, floods, resets, and answers that nobody reads. The clients of the
 * server must not suffer from any of them. Pure.
 */
final class ApiAttacks {
    private static final double KEYS_PER_SECOND = 100;
    private static final double CALLS_PER_SECOND = 40;
    private static final double FLOOD_PER_SECOND = 200;
    private static final int CONNECTIONS = 300;
    private static final Duration RESET_STEP = Duration.ofNanos(200_000);
    private static final int RESET_STEPS = 20;
    private static final int NARROW_BYTES = 4096;
    private static final int READERS = 40;
    private static final int BATCH_LINES = 20_000;
    private static final int DEEP = 20_000;
    private static final String SUBJECT = "/attack/api";
    private static final String END = "\r\n";

    private ApiAttacks() {}

    private static String call(HttpRequests requests, String method, String target, String type, String body) {
        return requests.head(method, target, "Content-Type: " + type, "Content-Length: " + body.length()) + END + body;
    }

    private static String post(AttackContext api, String target, String body) {
        return call(api.requests(), "POST", target, "application/json", body);
    }

    /** Tries keys that resemble the right one, in the header and elsewhere; none may be accepted. */
    static void keys(AttackContext context) throws IOException {
        String right = context.apiKey();
        AttackContext api = context.onApi(null);
        String publish = "{\"subject\":\"" + SUBJECT + "\",\"data\":\"x\"}";
        List<String> headers = List.of(
                "X-Nothing: 1",
                "Authorization: Bearer",
                "Authorization: Bearer ",
                "Authorization: Bearer " + right.substring(1),
                "Authorization: Bearer " + right + "0",
                "Authorization: Bearer " + right.toUpperCase(Locale.ROOT) + "x",
                "Authorization: Basic " + right,
                "Authorization: " + right,
                "X-Authorization: Bearer " + right,
                "Cookie: key=" + right,
                "Authorization: Bearer " + "k".repeat(8000));
        AttackRate rate = api.rate(KEYS_PER_SECOND);
        while (rate.next()) {
            String header = headers.get(rate.count() % headers.size());
            String head = api.requests()
                    .head(
                            "POST",
                            "/v1/publish?key=" + right,
                            header,
                            "Content-Type: application/json",
                            "Content-Length: " + publish.length());
            refused(api, "a call with a wrong key", api.request(head + END + publish), 401);
        }
        api.note(rate.count() + " wrong keys");
    }

    /** Sends calls that must be refused because of their form, each with its own status. */
    static void nonsense(AttackContext context) throws IOException {
        AttackContext api = context.onApi(context.apiKey());
        Map<String, String> calls = malformedCalls(api);
        AttackRate rate = api.rate(CALLS_PER_SECOND);
        do {
            for (Map.Entry<String, String> each : calls.entrySet()) {
                refused(api, each.getKey(), api.request(each.getValue()), 400, 404, 405, 413);
                if (!rate.next()) {
                    break;
                }
            }
        } while (api.hasTimeLeft());
        api.note(rate.count() + " malformed calls");
    }

    private static Map<String, String> malformedCalls(AttackContext api) {
        Map<String, String> calls = new LinkedHashMap<>();
        for (String target : List.of("/v1/publish", "/v1/broadcast", "/v1/disconnect", "/v1/revoke")) {
            calls.put("no JSON to " + target, post(api, target, "nothing"));
            calls.put("deep nesting to " + target, post(api, target, "{\"x\":" + "[".repeat(DEEP)));
            calls.put("a list to " + target, post(api, target, "[]"));
        }
        calls.put("a number of many digits", post(api, "/v1/disconnect", "{\"user\":" + "9".repeat(DEEP) + "}"));
        calls.put("two targets", post(api, "/v1/disconnect", "{\"user\":\"a\",\"session\":\"b\"}"));
        calls.put("a subject of the server", post(api, "/v1/publish", "{\"subject\":\"/$node\",\"data\":\"x\"}"));
        calls.put(
                "a batch of too many lines",
                call(
                        api.requests(),
                        "POST",
                        "/v1/publish",
                        "application/x-ndjson",
                        ("{\"subject\":\"" + SUBJECT + "\",\"data\":\"\"}\n").repeat(BATCH_LINES)));
        calls.put(
                "a body of 1 TB",
                api.requests()
                                .head(
                                        "POST",
                                        "/v1/publish",
                                        "Content-Type: application/json",
                                        "Content-Length: " + (1L << 40))
                        + END);
        for (String target : List.of(
                "/v1/sessions?limit=-1",
                "/v1/sessions?after=9999999999-1",
                "/v1/sessions/%ff%00",
                "/v1/history?subject=" + "/a".repeat(2000),
                "/v1/history?subject=/a&after=-1:99999999999999999999",
                "/v1/%2e%2e/stats",
                "/")) {
            calls.put("GET " + target, api.requests().get(target));
        }
        return calls;
    }

    private static void refused(AttackContext api, String what, ParsedResponses responses, int... expected) {
        for (int each : expected) {
            if (responses.status() == each) {
                return;
            }
        }
        api.fault(what + " was not refused: " + responses);
    }

    /** Opens more connections than the listener serves, sends half a call on each, and many calls at the same time. */
    static void floods(AttackContext context) throws IOException {
        AttackContext api = context.onApi(context.apiKey());
        String half =
                api.requests().head("POST", "/v1/publish", "Content-Type: application/json", "Content-Length: 100")
                        + END + "{";
        String list = api.requests().get("/v1/sessions?limit=1000");
        AttackRate rate = api.rate(FLOOD_PER_SECOND);
        try (ConnectionGroup group = new ConnectionGroup()) {
            while (rate.next()) {
                if (group.size() + group.refused < CONNECTIONS) {
                    String first = rate.count() % 2 == 0 ? half : list;
                    group.add(() -> opened(api, first, 0));
                } else if (group.size() > 0) {
                    AttackConnection busy = group.connections.get(rate.count() % group.size());
                    busy.offer(list.getBytes(StandardCharsets.US_ASCII));
                    busy.poll().forget();
                }
            }
            api.note(group.size() + " connections, " + group.refused + " refused, " + rate.count()
                    + " calls and halves of calls");
        }
    }

    /** Resets each connection at another time between the request and its answer. */
    static void resets(AttackContext context) throws IOException {
        AttackContext api = context.onApi(context.apiKey());
        String list = api.requests().get("/v1/sessions?limit=1000");
        AttackRate rate = api.rate(FLOOD_PER_SECOND);
        while (rate.next()) {
            AttackConnection connection = opened(api, list, 0);
            AttackContext.pause(RESET_STEP.multipliedBy(rate.count() % RESET_STEPS));
            connection.reset();
        }
        api.note(rate.count() + " connections reset");
    }

    private static AttackConnection opened(AttackContext api, String request, int receiveBytes) throws IOException {
        AttackConnection connection =
                receiveBytes == 0 ? api.target().open() : api.target().openNarrow(receiveBytes);
        connection.send(request);
        return connection;
    }

    /**
     * Publishes history, and requests it on many connections that read nothing. JSON needs six bytes for each control character, so
     * an answer is larger than what the kernel takes from the server.
     */
    static void slowReaders(AttackContext context) throws IOException {
        AttackContext api = context.onApi(context.apiKey());
        String line = "{\"subject\":\"" + SUBJECT + "/history\",\"data\":\"" + "\\u0001".repeat(900) + "\"}\n";
        String batch = call(api.requests(), "POST", "/v1/publish", "application/x-ndjson", line.repeat(100));
        for (int i = 0; i < 10; i++) {
            ParsedResponses published = api.request(batch);
            if (published.status() != 200) {
                api.fault("the history could not be published: " + published);
            }
        }
        String read = api.requests().get("/v1/history?limit=1000&subject=" + SUBJECT + "/history");
        AttackRate rate = api.rate(READERS);
        try (ConnectionGroup group = new ConnectionGroup()) {
            while (rate.next()) {
                if (group.size() + group.refused < READERS) {
                    group.add(() -> opened(api, read, NARROW_BYTES));
                }
            }
            api.note(group.size() + " readers of 5 MB that read nothing");
        }
    }
}
