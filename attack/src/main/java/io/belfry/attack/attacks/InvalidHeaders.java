package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Messages whose headers break a rule. Pure. */
final class InvalidHeaders {
    private static final double MESSAGES_PER_SECOND = 40;

    private InvalidHeaders() {}

    /** Publishes with headers that break a rule; each must be refused with bad-headers, or the session ends. */
    static void run(AttackContext context) throws IOException {
        List<String> wrong = new ArrayList<>(List.of(
                "{\"$removed\":\"\"}",
                "{\"$user\":\"admin\"}",
                "{\"\":\"x\"}",
                "{\"a\":\"" + "v".repeat(70_000) + "\"}",
                "{\"" + "n".repeat(65) + "\":\"x\"}",
                "{\"a\\u0001\":\"x\"}",
                "{\"a\":1}",
                "{\"a\":{\"b\":\"c\"}}",
                "[\"a\",\"b\"]"));
        StringBuilder many = new StringBuilder("{");
        for (int i = 0; i < 17; i++) {
            many.append(i == 0 ? "" : ",").append("\"h").append(i).append("\":\"x\"");
        }
        wrong.add(many.append('}').toString());
        AttackRate rate = context.rate(MESSAGES_PER_SECOND);
        do {
            for (String headers : wrong) {
                publish(context, headers);
                if (!rate.next()) {
                    break;
                }
            }
        } while (context.hasTimeLeft());
        context.note(rate.count() + " messages with invalid headers");
    }

    private static void publish(AttackContext context, String headers) throws IOException {
        try (AttackConnection session = context.session()) {
            session.sendCommand(
                    "{\"op\":\"publish\",\"id\":1,\"subject\":\"/attack/headers\",\"data\":\"x\",\"headers\":" + headers
                            + "}");
            session.await(context.timeout(), text -> text.contains("\"op\":"));
            String text = session.text();
            if (text.contains("\"op\":\"published\"") || (!session.isEnded() && !text.contains("\"op\":\"error\""))) {
                context.fault("headers " + headers.substring(0, Math.min(30, headers.length())) + " were accepted");
            }
        }
    }
}
