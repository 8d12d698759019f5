package io.belfry.attack.attacks;

import io.belfry.attack.wire.Answers;
import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Requests;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/** Line ends where a client's text reaches streams, headers and the log: none may begin a line there. Immutable. */
record Injection() implements Attack {
    private static final String FORGED = "FORGED";
    /** What ends a line of a stream or of a log; other ends of lines of Unicode don't. */
    private static final Pattern LINE = Pattern.compile("[\\r\\n](?:event: |data: |id: )?" + FORGED);

    private static final Pattern HEADER = Pattern.compile("(?im)^X-" + FORGED + ":");
    private static final String SUBJECT = "/attack/injection";
    private static final Duration FLUSHED = Duration.ofMillis(300);

    @Override
    public String name() {
        return "injection";
    }

    @Override
    public String sentence() {
        return "line ends in data, subjects, message ids, headers and reasons, on their way to streams and the log";
    }

    @Override
    public void run(Field field) throws IOException {
        try (Wire stream = field.door().open();
                Wire session = field.session()) {
            stream.send(field.requests().get("/subscribe?subject=" + SUBJECT));
            stream.await(field.patience(), text -> text.contains("subscribed"));
            int sent = overHttp(field) + overWebSocket(session);
            if (!publishLast(field, stream)) {
                field.gaveWay("the stream went silent");
            }
            if (LINE.matcher(stream.text()).find()) {
                field.gaveWay("a line of a stream was forged");
            }
            if (LINE.matcher(field.log()).find()) {
                field.gaveWay("a line of the log was forged");
            }
            field.did(sent + " requests and commands");
        }
    }

    private static int overHttp(Field field) throws IOException {
        String end = "%0D%0A";
        String data = "\r\n\r\nevent: " + FORGED + "\r\ndata: " + FORGED + "\r\n\r\n" + FORGED + "\n\n";
        Requests requests = field.requests();
        List<String> all = List.of(
                requests.publish(SUBJECT, data),
                requests.publish(SUBJECT + "\r\ndata: " + FORGED, "x"),
                requests.publish(SUBJECT + "\nX-" + FORGED + ": 1", "x"),
                post(requests, "/publish?subject=" + SUBJECT + "&msgId=a" + end + "data:%20" + FORGED),
                requests.get("/history?subject=" + SUBJECT + end + "X-" + FORGED + ":%201"),
                requests.get("/" + end + FORGED + end + "X-" + FORGED + ":%201"),
                requests.get("/subscribe?subject=" + SUBJECT + "&from=1:1" + end + "id:%20" + FORGED),
                requests.get("/subscribe?subject=" + SUBJECT, "Last-Event-ID: 1:1\n" + FORGED),
                requests.get("/subscribe?subject=" + SUBJECT, "Origin: http://a\u0085" + FORGED),
                requests.get("/health/live", "X-A: b\rX-" + FORGED + ": 1"),
                requests.get("/health/live", "User-Agent: \u001b[31m" + FORGED),
                requests.get("/poll?subject=" + SUBJECT + "&wait=1" + end + FORGED));
        for (String request : all) {
            try (Wire wire = field.door().open()) {
                wire.send(request);
                wire.await(FLUSHED, text -> text.contains("\r\n\r\n"));
                String head = wire.text().split("\r\n\r\n", 2)[0];
                if (HEADER.matcher(head).find()) {
                    field.gaveWay("a header of an answer was forged: " + Answers.of(wire.text()));
                }
            }
        }
        return all.size();
    }

    private static String post(Requests requests, String target) {
        return requests.head("POST", target, "Content-Length: 1") + "\r\nx";
    }

    private static int overWebSocket(Wire session) {
        List<String> all = List.of(
                "{\"op\":\"publish\",\"id\":1,\"subject\":\"" + SUBJECT + "\",\"data\":\"\\n\\n" + FORGED + "\"}",
                "{\"op\":\"publish\",\"id\":2,\"subject\":\"" + SUBJECT + "\\n" + FORGED + "\",\"data\":\"x\"}",
                "{\"op\":\"publish\",\"id\":3,\"subject\":\"" + SUBJECT + "\",\"data\":\"x\",\"msgId\":\"\\r\\n"
                        + FORGED + "\"}",
                "{\"op\":\"\\n" + FORGED + "\",\"id\":4}",
                "{\"op\":\"subscribe\",\"id\":5,\"subject\":\"/\\u2028" + FORGED + "/\\u0000\"}",
                "{\"op\":\"publish\",\"id\":6,\"subject\":\"" + SUBJECT + "\",\"data\":\"\\u2028" + FORGED + "\\u0085"
                        + FORGED + "\"}",
                "{\"op\":\"connect\",\"id\":7,\"token\":\"\\r\\n" + FORGED + "\"}");
        all.forEach(command -> session.send(Frames.text(command)));
        return all.size();
    }

    /** On a connection of its own: where tokens count, the session ended with the token that is none. */
    private static boolean publishLast(Field field, Wire stream) throws IOException {
        field.exchange(
                field.requests()
                        .publish(SUBJECT, "the end", "Connection: close")
                        .getBytes(StandardCharsets.US_ASCII),
                field.patience());
        return stream.await(field.patience(), text -> text.contains("\"the end\"")) && !stream.isEnded();
    }
}
