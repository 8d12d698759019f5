package io.belfry.server.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Polls a pattern while one of two event loops does not answer. */
@Tag("slow")
class BusyLanePollTest {
    /** More than a poll waits for a lane, and less than a connection waits for its client. */
    private static final long BUSY_NANOS = 3_000_000_000L;

    /** The system divides connections between the loops; that all of these are with the busy one is improbable. */
    private static final int CLIENTS = 24;

    private static final int SUBJECTS = 16;

    /** Polls until all messages have arrived: each waits a second for a busy loop. */
    private static final int POLLS = 10;

    private static final Pattern AT = Pattern.compile("\"at\":\"([^\"]+)\"");
    private static final Pattern DATA = Pattern.compile("\"data\":\"([^\"]+)\"");

    private final ProtocolServer server = new ProtocolServer(List.of(), "IoThreads=2");

    @AfterEach
    void close() {
        server.close();
    }

    private Socket send(String request, String body) throws IOException {
        Socket client = server.connect();
        String fields = "Host: a\r\nConnection: close\r\nContent-Length: " + body.length();
        client.getOutputStream()
                .write((request + " HTTP/1.1\r\n" + fields + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
        return client;
    }

    private Socket poll(String query) throws IOException {
        return send("GET /poll?subject=/a/*&wait=0ms" + query, "");
    }

    private static String answer(Socket client) throws IOException {
        try (client) {
            return new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Polls as many clients while the second loop is busy, and returns their answers. */
    private List<String> pollWhileBusy(String query) throws IOException {
        server.onLoop(1, () -> LockSupport.parkNanos(BUSY_NANOS));
        List<Socket> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(poll(query));
        }
        List<String> answers = new ArrayList<>();
        for (Socket client : clients) {
            answers.add(answer(client));
        }
        return answers;
    }

    private static String at(String answer) {
        Matcher at = AT.matcher(answer);
        assertThat(at.find()).as(answer).isTrue();
        return at.group(1);
    }

    private static List<String> data(String answer) {
        return DATA.matcher(answer).results().map(found -> found.group(1)).toList();
    }

    @Test
    void aPollIsRefusedInsteadOfAnsweredWithoutItsPosition() throws IOException {
        List<String> answers = pollWhileBusy("");

        List<String> refused =
                answers.stream().filter(each -> each.startsWith("HTTP/1.1 503")).toList();
        assertThat(refused)
                .isNotEmpty()
                .allSatisfy(each -> assertThat(each.toLowerCase(Locale.ROOT))
                        .contains("\"code\":\"overloaded\"", "retry-after: 1"));
        answers.removeAll(refused);
        assertThat(answers)
                .allSatisfy(each -> assertThat(each).startsWith("HTTP/1.1 200").contains("\"at\":\""));
    }

    @Test
    void anUnfinishedReadingSendsNoMessageTwice() throws IOException {
        String from = at(answer(poll("")));
        List<String> published = new ArrayList<>();
        for (int i = 0; i < SUBJECTS; i++) {
            published.add("m" + i);
            assertThat(answer(send("POST /publish?subject=/a/" + i, "m" + i))).startsWith("HTTP/1.1 200");
        }

        List<String> answers = pollWhileBusy("&from=" + from);

        assertThat(answers).anyMatch(each -> data(each).size() < SUBJECTS);
        for (String answer : answers) {
            assertThat(received(answer)).containsExactlyInAnyOrderElementsOf(published);
        }
    }

    /** Returns the data of an answer and of the polls after it. The loop may still be busy during the first of them. */
    private List<String> received(String answer) throws IOException {
        List<String> received = new ArrayList<>(data(answer));
        String last = answer;
        for (int polls = 0; received.size() < SUBJECTS && polls < POLLS; polls++) {
            last = answer(poll("&from=" + at(last)));
            received.addAll(data(last));
        }
        return received;
    }
}
