package io.belfry.attack.attacks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** Requests whose end a proxy and the server could see in different places; none may get two responses. Pure. */
final class Smuggling {
    private static final double PER_SECOND = 40;

    /** Share of the timeout: a second response arrives at once or never, and the corpus is long. */
    private static final int TIMEOUT_SHARE = 4;

    private Smuggling() {}

    static void run(AttackContext context) throws IOException {
        AttackRate rate = context.rate(PER_SECOND);
        Duration timeout = context.timeout().dividedBy(TIMEOUT_SHARE);
        String token = context.settings().token();
        String authorization = token == null ? "" : "Authorization: Bearer " + token + "\r\n";
        List<SmugglingCorpus.Case> cases = SmugglingCorpus.load();
        for (SmugglingCorpus.Case each : cases) {
            rate.next();
            String request =
                    each.text().replace("{host}", context.target().host()).replace("{authorization}", authorization);
            try (AttackConnection connection = context.target().open()) {
                connection.send(request.getBytes(StandardCharsets.ISO_8859_1));
                connection.awaitEnd(timeout);
                check(context, each, ParsedResponses.of(connection.text()), connection.isEnded());
            }
        }
        context.note(cases.size() + " requests");
    }

    private static void check(
            AttackContext context, SmugglingCorpus.Case each, ParsedResponses responses, boolean ended) {
        int count = responses.whole().size();
        boolean refused = each.expected() == SmugglingCorpus.Expected.REFUSED;
        int expected = each.expected().ordinal();
        if (!refused && count != expected) {
            context.fault(each.name() + " got " + count + " responses instead of " + expected + ": " + responses);
        } else if (refused && count > 1) {
            context.fault(each.name() + " got two responses: " + responses);
        } else if (refused && responses.whole().stream().anyMatch(response -> response.status() < 400)) {
            context.fault(each.name() + " was accepted: " + responses);
        } else if (refused && !ended) {
            context.fault("after " + each.name() + " the connection stayed open");
        }
    }
}
