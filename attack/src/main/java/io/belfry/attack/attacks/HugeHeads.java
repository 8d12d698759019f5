package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.Map;

/** Request heads of 1 MB, which the server must refuse before they are complete. Pure. */
final class HugeHeads {
    private static final int BYTES = 1 << 20;

    private HugeHeads() {}

    static void run(AttackContext context) throws IOException {
        HttpRequests requests = context.requests();
        Map<String, String> heads = Map.of(
                "a target of 1 MB", requests.get("/" + "a".repeat(BYTES)),
                "a header of 1 MB", requests.get("/health/live", "X-A: " + "a".repeat(BYTES)),
                "100,000 headers", requests.get("/health/live", "X-A: b\r\n".repeat(BYTES / 10) + "X-A: b"),
                "1 MB of empty lines", "\r\n".repeat(BYTES / 2) + requests.get("/health/live"));
        int sent = 0;
        do {
            for (Map.Entry<String, String> head : heads.entrySet()) {
                send(context, head.getKey(), head.getValue());
                sent++;
            }
        } while (context.hasTimeLeft());
        context.note(sent + " heads refused");
    }

    private static void send(AttackContext context, String what, String head) throws IOException {
        try (AttackConnection connection = context.target().open()) {
            connection.send(head);
            boolean ended = connection.awaitEnd(context.timeout());
            ParsedResponses responses = ParsedResponses.of(connection.text());
            if (!ended || (!responses.all().isEmpty() && responses.status() < 400)) {
                context.fault(what + " did not end the connection: " + responses);
            }
        }
    }
}
