package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** Line ends in text that the server writes to streams, headers and the log; none may begin a new line there. Pure. */
final class Injection {
    private static final String FORGED = "FORGED";

    /** Only CR and LF end a line of a stream or of a log; other line separators of Unicode do not. */
    private static final Pattern LINE = Pattern.compile("[\\r\\n](?:event: |data: |id: )?" + FORGED);

    private static final Pattern HEADER = Pattern.compile("(?im)^X-" + FORGED + ":");
    private static final String SUBJECT = "/attack/injection";
    private static final Duration RESPONSE_TIMEOUT = Duration.ofMillis(300);

    private Injection() {}

    static void run(AttackContext context) throws IOException {
        try (AttackConnection stream = context.target().open();
                AttackConnection session = context.session()) {
            stream.send(context.requests().get("/subscribe?subject=" + SUBJECT));
            stream.await(context.timeout(), text -> text.contains("subscribed"));
            List<String> requests = requests(context.requests());
            for (String request : requests) {
                send(context, request);
            }
            List<String> commands = commands();
            commands.forEach(session::sendCommand);
            // A request of its own: an invalid token in a command has ended the session.
            context.request(context.requests().publish(SUBJECT, "the end", "Connection: close"));
            if (!stream.await(context.timeout(), text -> text.contains("\"the end\"")) || stream.isEnded()) {
                context.fault("the stream delivered no more messages");
            }
            if (LINE.matcher(stream.text()).find()) {
                context.fault("a line of a stream was forged");
            }
            if (LINE.matcher(context.log().get()).find()) {
                context.fault("a line of the log was forged");
            }
            context.note(requests.size() + commands.size() + " requests and commands");
        }
    }

    private static List<String> requests(HttpRequests requests) {
        String end = "%0D%0A";
        String data = "\r\n\r\nevent: " + FORGED + "\r\ndata: " + FORGED + "\r\n\r\n" + FORGED + "\n\n";
        String target = "/publish?subject=" + SUBJECT + "&msgId=a" + end + "data:%20" + FORGED;
        return List.of(
                requests.publish(SUBJECT, data),
                requests.publish(SUBJECT + "\r\ndata: " + FORGED, "x"),
                requests.publish(SUBJECT + "\nX-" + FORGED + ": 1", "x"),
                requests.head("POST", target, "Content-Length: 1") + "\r\nx",
                requests.get("/history?subject=" + SUBJECT + end + "X-" + FORGED + ":%201"),
                requests.get("/" + end + FORGED + end + "X-" + FORGED + ":%201"),
                requests.get("/subscribe?subject=" + SUBJECT + "&from=1:1" + end + "id:%20" + FORGED),
                requests.get("/subscribe?subject=" + SUBJECT, "Last-Event-ID: 1:1\n" + FORGED),
                requests.get("/subscribe?subject=" + SUBJECT, "Origin: http://a\u0085" + FORGED),
                requests.get("/health/live", "X-A: b\rX-" + FORGED + ": 1"),
                requests.get("/health/live", "User-Agent: \u001b[31m" + FORGED),
                requests.get("/poll?subject=" + SUBJECT + "&wait=1" + end + FORGED));
    }

    private static void send(AttackContext context, String request) throws IOException {
        try (AttackConnection connection = context.target().open()) {
            connection.send(request);
            connection.awaitHead(RESPONSE_TIMEOUT);
            String head = connection.text().split("\r\n\r\n", 2)[0];
            if (HEADER.matcher(head).find()) {
                context.fault("a response header was forged: " + ParsedResponses.of(connection.text()));
            }
        }
    }

    private static List<String> commands() {
        String publish = "{\"op\":\"publish\",\"id\":1,\"subject\":\"" + SUBJECT;
        return List.of(
                publish + "\",\"data\":\"\\n\\n" + FORGED + "\"}",
                publish + "\\n" + FORGED + "\",\"data\":\"x\"}",
                publish + "\",\"data\":\"x\",\"msgId\":\"\\r\\n" + FORGED + "\"}",
                "{\"op\":\"\\n" + FORGED + "\",\"id\":4}",
                "{\"op\":\"subscribe\",\"id\":5,\"subject\":\"/\\u2028" + FORGED + "/\\u0000\"}",
                publish + "\",\"data\":\"\\u2028" + FORGED + "\\u0085" + FORGED + "\"}",
                "{\"op\":\"connect\",\"id\":7,\"token\":\"\\r\\n" + FORGED + "\"}");
    }
}
