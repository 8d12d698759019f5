package io.belfry.attack.attacks;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * HTTP requests that the server must refuse: heads of 1 MB before they are complete, and requests whose end a proxy and the
 * server could see in different places, which must not get two responses. Pure.
 */
final class InvalidRequests {
    private static final int HEAD_BYTES = 1 << 20;
    private static final double SMUGGLED_PER_SECOND = 40;

    /** Share of the timeout: a second response arrives at once or never, and the corpus is long. */
    private static final int SMUGGLED_TIMEOUT_SHARE = 4;

    /** The expectations in the order of their numbers of responses; those of valid requests show that the attack works. */
    private static final List<String> EXPECTATIONS = List.of("refused", "one", "two");

    private InvalidRequests() {}

    /** The responses to a request, and whether the server ended the connection. */
    private record Reaction(ParsedResponses responses, boolean ended) {}

    /** Sends a request of ISO 8859-1 and waits until the server ends the connection. */
    private static Reaction send(AttackContext context, String request, Duration timeout) throws IOException {
        try (AttackConnection connection = context.target().open()) {
            connection.send(request.getBytes(StandardCharsets.ISO_8859_1));
            boolean ended = connection.awaitEnd(timeout);
            return new Reaction(ParsedResponses.of(connection.text()), ended);
        }
    }

    static void huge(AttackContext context) throws IOException {
        HttpRequests requests = context.requests();
        Map<String, String> heads = Map.of(
                "a target of 1 MB", requests.get("/" + "a".repeat(HEAD_BYTES)),
                "a header of 1 MB", requests.get("/health/live", "X-A: " + "a".repeat(HEAD_BYTES)),
                "100,000 headers", requests.get("/health/live", "X-A: b\r\n".repeat(HEAD_BYTES / 10) + "X-A: b"),
                "1 MB of empty lines", "\r\n".repeat(HEAD_BYTES / 2) + requests.get("/health/live"));
        int sent = 0;
        do {
            for (Map.Entry<String, String> head : heads.entrySet()) {
                Reaction reaction = send(context, head.getValue(), context.timeout());
                ParsedResponses responses = reaction.responses();
                if (!reaction.ended() || (!responses.all().isEmpty() && responses.status() < 400)) {
                    context.fault(head.getKey() + " did not end the connection: " + responses);
                }
                sent++;
            }
        } while (context.hasTimeLeft());
        context.note(sent + " heads refused");
    }

    static void smuggle(AttackContext context) throws IOException {
        AttackRate rate = context.rate(SMUGGLED_PER_SECOND);
        List<Case> cases = corpus();
        for (Case each : cases) {
            rate.next();
            String request = each.text()
                    .replace("{host}", context.target().host())
                    .replace("{authorization}", context.requests().authorization());
            check(context, each, send(context, request, context.timeout().dividedBy(SMUGGLED_TIMEOUT_SHARE)));
        }
        context.note(cases.size() + " requests");
    }

    private static void check(AttackContext context, Case each, Reaction reaction) {
        ParsedResponses responses = reaction.responses();
        int count = responses.whole().size();
        int expected = each.responses();
        boolean refused = expected == 0;
        if (!refused && count != expected) {
            context.fault(each.name() + " got " + count + " responses instead of " + expected + ": " + responses);
        } else if (refused && count > 1) {
            context.fault(each.name() + " got two responses: " + responses);
        } else if (refused && responses.whole().stream().anyMatch(response -> response.status() < 400)) {
            context.fault(each.name() + " was accepted: " + responses);
        } else if (refused && !reaction.ended()) {
            context.fault("after " + each.name() + " the connection stayed open");
        }
    }

    /**
     * One request.
     *
     * @param responses number of responses that it must get; 0 = at most an error response, and the end of the connection
     * @param text ISO 8859-1, so each character is a byte
     */
    record Case(String name, int responses, String text) {}

    /** Reads the requests of smuggling.txt. */
    static List<Case> corpus() throws IOException {
        try (InputStream in = InvalidRequests.class.getResourceAsStream("smuggling.txt")) {
            if (in == null) {
                throw new IOException("smuggling.txt is missing from the jar");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
        }
    }

    /**
     * Parses cases. A line {@code == name: expectation} begins a case and its text follows. In the text, the escapes of Java
     * ({@code \r}, {@code \n}, {@code \t}, octal {@code \NNN}) stand for bytes, {@code {host}} for the server and {@code
     * {authorization}} for the header with a token, if one is needed. Line ends of the file and lines that begin with {@code
     * #} are not sent.
     */
    static List<Case> parse(String file) {
        List<Case> cases = new ArrayList<>();
        for (String section : file.split("(?m)^== ", -1)) {
            int end = section.indexOf('\n');
            if (end > 0 && !section.startsWith("#")) {
                cases.add(parse(section.substring(0, end), section.substring(end + 1)));
            }
        }
        return cases;
    }

    private static Case parse(String title, String lines) {
        int colon = title.lastIndexOf(':');
        int responses = EXPECTATIONS.indexOf(title.substring(colon + 1).strip());
        if (colon < 0 || responses < 0) {
            throw new IllegalArgumentException("a case begins with '== name: expectation', not '" + title + "'");
        }
        String text = lines.lines()
                .filter(line -> !line.startsWith("#"))
                .map(String::translateEscapes)
                .collect(Collectors.joining());
        return new Case(title.substring(0, colon), responses, text);
    }
}
