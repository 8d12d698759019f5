package io.belfry.server.training;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The traffic of a training: messages from one publisher to one subscriber, to many subscribers, over WebSocket in both encodings and
 * over HTTP, connections that begin and end, the pages of the monitor, and messages after a time without load. The most frequent paths
 * are used more than 10,000 times, because the JVM stores the profile of a method well only after its second compiler has compiled it.
 * Owner: one thread.
 *
 * @param port the port for clients
 * @param monitorPort the port of the HTTP monitor
 * @param password the password of the monitor's user {@code admin}
 */
public record TrainingLoad(int port, int monitorPort, String password) {
    private static final int PAIRS = 8;
    private static final int SINGLE_MESSAGES = 24_000;
    private static final int QUIET_MESSAGES = 6_000;
    private static final int BURSTS = 300;
    private static final int BURST = 20;
    private static final int FAN_MESSAGES = 1_000;
    private static final int CROWD = 300;
    private static final int CROWD_MESSAGES = 200;
    private static final int HTTP_CALLS = 1_000;
    private static final int CONNECTIONS = 150;
    private static final int PAGES = 20;

    /** Without load for so long, a server joins its event loops. */
    private static final long QUIET_NANOS = TimeUnit.MILLISECONDS.toNanos(2_100);

    private static final long BETWEEN_QUIET_MESSAGES_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    /** Returns a text without the password. */
    @Override
    public String toString() {
        return "TrainingLoad[" + port + ", " + monitorPort + "]";
    }

    /** Runs the whole load; throws if the server refuses a part of it. */
    public void run() throws IOException {
        connections();
        pairs();
        fan();
        crowd();
        calls();
        streams();
        pages();
        quietPairs();
    }

    /** Sessions that begin, subscribe with history, and end. */
    private void connections() throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            String subject = "/training/connection/" + i % PAIRS;
            try (TrainingSession session = TrainingSession.open(port, i % 2 == 0)) {
                session.greet();
                session.publish(subject, true);
                session.awaitPublished();
                session.subscribeWithHistory(subject);
                session.unsubscribe(subject);
                if (i % 4 < 2) {
                    session.leave();
                }
            }
        }
    }

    /** Messages to one subscriber each, single and in bursts. */
    private void pairs() throws IOException {
        try (Pairs pairs = new Pairs()) {
            for (int i = 0; i < SINGLE_MESSAGES; i++) {
                pairs.pass(i);
            }
            for (int i = 0; i < BURSTS; i++) {
                pairs.passMany(i, BURST);
            }
        }
    }

    /** Single messages with pauses, so that one thread of the server runs all event loops. */
    private void quietPairs() throws IOException {
        LockSupport.parkNanos(QUIET_NANOS);
        try (Pairs pairs = new Pairs()) {
            for (int i = 0; i < QUIET_MESSAGES; i++) {
                pairs.pass(i);
                LockSupport.parkNanos(BETWEEN_QUIET_MESSAGES_NANOS);
            }
        }
    }

    /** One publisher with many subscribers, some of them to a pattern. */
    private void fan() throws IOException {
        List<TrainingSession> subscribers = sessions(2 * PAIRS);
        for (int i = 0; i < subscribers.size(); i++) {
            subscribers.get(i).subscribe(i < PAIRS ? "/training/fan" : "/training/*");
        }
        try (TrainingSession publisher = TrainingSession.open(port, true)) {
            for (int i = 0; i < FAN_MESSAGES; i++) {
                publisher.publish("/training/fan", false);
                for (TrainingSession subscriber : subscribers) {
                    subscriber.awaitMessage();
                }
            }
        }
        close(subscribers);
    }

    /**
     * Messages to all of many sessions, each followed by a message to one of them. A turn has no time to write to all sessions, so
     * the next turn writes to the remaining ones.
     */
    private void crowd() throws IOException {
        List<TrainingSession> subscribers = sessions(CROWD);
        for (int i = 0; i < CROWD; i++) {
            subscribers.get(i).subscribe("/training/crowd");
            subscribers.get(i).subscribe("/training/crowd/" + i);
        }
        try (TrainingSession publisher = TrainingSession.open(port, false)) {
            for (int i = 0; i < CROWD_MESSAGES; i++) {
                publisher.publish("/training/crowd", false);
                publisher.publish("/training/crowd/" + i, false);
                for (TrainingSession subscriber : subscribers) {
                    subscriber.awaitMessage();
                }
                subscribers.get(i).awaitMessage();
            }
        }
        close(subscribers);
    }

    private void calls() throws IOException {
        try (TrainingConnection caller = TrainingConnection.open(port)) {
            String position = "";
            for (int i = 0; i < HTTP_CALLS; i++) {
                String target = "/publish?subject=/training/call" + (i % 10 == 0 ? "&retain=true" : "");
                String published = caller.call("POST", target, Map.of(), TrainingSession.DATA);
                if (i % 4 == 1) {
                    caller.call("GET", "/history?subject=/training/call&count=5", Map.of(), "");
                    caller.call("GET", "/poll?subject=/training/call&wait=1s&from=" + position, Map.of(), "");
                }
                position = member(published, "epoch") + ":" + member(published, "seq");
            }
        }
    }

    private static String member(String object, String name) {
        String rest = object.substring(object.indexOf("\"" + name + "\":") + name.length() + 3);
        return rest.replaceFirst("\\D.*", "");
    }

    private void streams() throws IOException {
        try (TrainingConnection events = TrainingConnection.open(port);
                TrainingConnection lines = TrainingConnection.open(port);
                TrainingConnection publisher = TrainingConnection.open(port)) {
            events.stream("/subscribe?subject=/training/stream", "text/event-stream");
            lines.stream("/subscribe?subject=/training/stream", "application/x-ndjson");
            events.awaitLine("subscribed");
            lines.awaitLine("subscribed");
            for (int i = 0; i < HTTP_CALLS; i++) {
                publisher.call("POST", "/publish?subject=/training/stream", Map.of(), TrainingSession.DATA);
                events.awaitLine("\"op\":\"message\"");
                lines.awaitLine("\"op\":\"message\"");
            }
        }
    }

    private void pages() throws IOException {
        String login = Base64.getEncoder().encodeToString(("admin:" + password).getBytes(StandardCharsets.UTF_8));
        try (TrainingConnection client = TrainingConnection.open(port);
                TrainingConnection monitor = TrainingConnection.open(monitorPort)) {
            for (int i = 0; i < PAGES; i++) {
                client.call("GET", "/health/ready", Map.of(), "");
                monitor.call("GET", "/stats", Map.of("Authorization", "Basic " + login), "");
                monitor.call("GET", "/metrics", Map.of("Authorization", "Basic " + login), "");
            }
        }
    }

    private List<TrainingSession> sessions(int count) throws IOException {
        List<TrainingSession> opened = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            opened.add(TrainingSession.open(port, i % 2 == 0));
        }
        return opened;
    }

    /** Closes the connections of these sessions, half of them with a reset. */
    private static void close(List<TrainingSession> sessions) throws IOException {
        for (int i = 0; i < sessions.size(); i++) {
            if (i % 2 == 0) {
                sessions.get(i).reset();
            } else {
                sessions.get(i).close();
            }
        }
    }

    /** Sessions of publishers, and of one subscriber for each. */
    private final class Pairs implements AutoCloseable {
        private final List<TrainingSession> publishers = sessions(PAIRS);
        private final List<TrainingSession> subscribers = sessions(PAIRS);

        Pairs() throws IOException {
            for (int i = 0; i < PAIRS; i++) {
                subscribers.get(i).subscribe("/training/pair/" + i);
            }
        }

        /** Passes a message from one publisher to its subscriber; half of the messages have an id. */
        void pass(int number) throws IOException {
            boolean withId = number % (2 * PAIRS) < PAIRS;
            int pair = number % PAIRS;
            publishers.get(pair).publish("/training/pair/" + pair, withId);
            subscribers.get(pair).awaitMessage();
            if (withId) {
                publishers.get(pair).awaitPublished();
            }
        }

        void passMany(int number, int count) throws IOException {
            int pair = number % PAIRS;
            for (int i = 0; i < count; i++) {
                publishers.get(pair).publish("/training/pair/" + pair, false);
            }
            for (int i = 0; i < count; i++) {
                subscribers.get(pair).awaitMessage();
            }
        }

        @Override
        public void close() throws IOException {
            TrainingLoad.close(publishers);
            TrainingLoad.close(subscribers);
        }
    }
}
