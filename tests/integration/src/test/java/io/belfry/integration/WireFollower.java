package io.belfry.integration;

import com.fasterxml.jackson.databind.JsonNode;
import io.belfry.protocol.Position;
import io.belfry.protocol.Recovery;
import io.belfry.protocol.Subjects;
import io.belfry.protocol.SubscribeRequest;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Follows subjects across reconnects without a client library, over another transport on each connection. It reads,
 * pauses, disconnects, is cut off, and reconnects with its positions. It follows the subjects received by a pattern by
 * name from the next connection on. All or none of its subscriptions conflate. Owner: the thread that runs it.
 */
final class WireFollower implements SubjectFollower {
    /** Close codes that the server or the network may cause; the follower then reconnects. */
    static final Set<Integer> CLOSES = Set.of(1001, 4008, 4009, 4010, 4011);

    static final Set<String> ENDS = Set.of("drain", "shutdown", "slow-consumer", "ping-timeout");
    private static final int UNAVAILABLE = 503;

    private final StreamWitness witness;
    private final List<String> subjects;
    private final int conflateMillis;
    private final List<FollowTransport> transports;
    private final int port;
    private final Random random;
    private final FaultList faults;

    /** Resume positions of the subjects of the current connection. */
    private final Map<String, Position> resumed = new HashMap<>();

    /** The last event id, while no other connection has received messages since. */
    private String lastEventId = "";

    private volatile boolean stopping;
    private volatile @Nullable RawConnection connection;
    private int connections;

    WireFollower(
            StreamWitness witness,
            List<String> subjects,
            int conflateMillis,
            List<FollowTransport> transports,
            int port,
            Random random,
            FaultList faults) {
        this.witness = witness;
        this.subjects = subjects;
        this.conflateMillis = conflateMillis;
        this.transports = transports;
        this.port = port;
        this.random = random;
        this.faults = faults;
    }

    @Override
    public StreamWitness witness() {
        return witness;
    }

    @Override
    public int connections() {
        return connections;
    }

    @Override
    public void stop() {
        stopping = true;
        RawConnection standing = connection;
        if (standing != null) {
            standing.close();
        }
    }

    @Override
    public void run() {
        while (!stopping) {
            try {
                connections++;
                follow(transports.get(random.nextInt(transports.size())));
            } catch (RawConnection.Ended | UncheckedIOException cut) {
                // The follower reconnects from its last positions.
            } catch (SocketFrames.Refused refused) {
                if (refused.status() != UNAVAILABLE) {
                    faults.add(witness.name(), refused.toString());
                }
            } catch (RuntimeException | AssertionError e) {
                faults.add(witness.name(), e.toString());
            }
            park(random.nextInt(100));
        }
    }

    private static void park(long millis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void follow(FollowTransport transport) {
        resumed.clear();
        RawConnection opened = RawConnection.to(port);
        connection = opened;
        try (opened) {
            if (transport != FollowTransport.EVENTS) {
                lastEventId = "";
            }
            switch (transport) {
                case BINARY -> overWebSocket(TestClient.over(opened, WireEncoding.BINARY));
                case JSON -> overWebSocket(TestClient.over(opened, WireEncoding.JSON));
                case EVENTS -> overEvents(new Http(opened));
                case LINES -> overLines(new Http(opened));
                case POLL -> byPolling(new Http(opened));
                case HISTORY -> byHistory(new Http(opened));
            }
        }
    }

    /** The follower itself leaves some connections and changes its transport in mid-stream. */
    private boolean continues(int heard, int most) {
        if (random.nextInt(400) == 0) {
            park(random.nextInt(1000));
        }
        return !stopping && heard < most;
    }

    private int stay() {
        return transports.size() == 1 ? Integer.MAX_VALUE : random.nextInt(2000);
    }

    /** Returns the subjects to request: first those with a position, then the patterns. */
    private List<String> asked() {
        List<String> asked = new ArrayList<>();
        Set<String> named = subjects.stream().filter(each -> !isPattern(each)).collect(Collectors.toSet());
        subjects.stream().filter(named::contains).forEach(asked::add);
        if (named.size() < subjects.size()) {
            witness.known().stream().filter(each -> !named.contains(each)).forEach(asked::add);
        }
        subjects.stream().filter(WireFollower::isPattern).forEach(asked::add);
        for (String subject : asked) {
            Position at = witness.at(subject);
            if (at != null) {
                resumed.put(subject, at);
            }
        }
        return asked;
    }

    private static boolean isPattern(String subject) {
        return Subjects.isPattern(subject.getBytes(StandardCharsets.UTF_8));
    }

    private void onEvent(Event event) {
        switch (event) {
            case Event.Message message ->
                witness.message(message.subject(), message.at(), message.data(), message.type());
            case Event.Gap gap -> witness.gap(gap.subject(), gap.from(), gap.to(), gap.reason());
            case Event.Subscribed subscribed -> subscribed(subscribed);
            case Event.Reconnect reconnect -> {}
            case Event.Failed failed -> {
                if (!ENDS.contains(failed.code())) {
                    faults.add(witness.name(), failed.toString());
                }
            }
            case Event.Closed closed -> {
                if (!CLOSES.contains(closed.code())) {
                    faults.add(witness.name(), closed.toString());
                }
                throw new RawConnection.Ended("with " + closed);
            }
            default -> faults.add(witness.name(), "unexpected event: " + event);
        }
    }

    private void subscribed(Event.Subscribed event) {
        if (!isPattern(event.subject())) {
            witness.subscribed(event.subject(), event.at(), event.recovery(), resumed.containsKey(event.subject()));
        } else if (event.recovery() != Recovery.NONE || event.at() != null) {
            faults.add(witness.name(), "a pattern has no position: " + event);
        }
    }

    // ---- WebSocket ----

    private void overWebSocket(TestClient client) {
        for (String subject : asked()) {
            client.ask(
                    new SubscribeRequest(List.of(TestClient.bytes(subject)), resumed.get(subject), 0, conflateMillis));
        }
        int most = stay();
        for (int heard = 0; continues(heard, most); heard++) {
            onEvent(client.next());
        }
    }

    // ---- streams ----

    private static String target(String path, List<String> asked) {
        return path
                + asked.stream()
                        .map(each -> "subject="
                                + URLEncoder.encode(each, StandardCharsets.UTF_8)
                                        .replace("+", "%20"))
                        .collect(Collectors.joining("&", "?", ""));
    }

    private String stream(List<String> asked) {
        return target("/subscribe", asked) + (conflateMillis == 0 ? "" : "&conflate=" + conflateMillis);
    }

    /** Returns the positions of the subjects that are not patterns, in their order. */
    private String vector(List<String> asked) {
        return asked.stream()
                .filter(each -> !isPattern(each))
                .map(each -> String.valueOf(witness.at(each)).replace("null", ""))
                .collect(Collectors.joining(","));
    }

    private void overLines(Http http) {
        List<String> asked = asked();
        open(http, stream(asked) + "&from=" + vector(asked), "Accept: application/x-ndjson");
        Http.LineSource lines = http.lines();
        int most = stay();
        for (int heard = 0; continues(heard, most); heard++) {
            String line = lines.next();
            if (!line.isEmpty()) {
                onEvent(Http.json(line));
            }
        }
    }

    private void open(Http http, String target, String... headers) {
        Http.Answer head = http.stream(target, headers);
        if (head.status() == UNAVAILABLE) {
            throw new RawConnection.Ended("with " + head);
        }
        if (head.status() != 200) {
            throw new AssertionError("no stream of " + target + ": " + head);
        }
    }

    /** Resumes as a browser does: the URL stays that of the first request, and a header carries the position. */
    private void overEvents(Http http) {
        List<String> asked = asked();
        String target = stream(asked);
        boolean sameSubjects = subjects.stream().noneMatch(WireFollower::isPattern);
        if (lastEventId.isEmpty() || !sameSubjects) {
            open(http, target + "&from=" + vector(asked));
        } else {
            open(http, target, "Last-Event-ID: " + lastEventId);
        }
        Http.LineSource lines = http.lines();
        int most = stay();
        for (int heard = 0; continues(heard, most); heard++) {
            event(lines, asked);
        }
    }

    /** Reads up to the empty line; an event that is cut off earlier is ignored. */
    private void event(Http.LineSource lines, List<String> asked) {
        String id = null;
        String data = null;
        for (String line = lines.next(); !line.isEmpty(); line = lines.next()) {
            if (line.startsWith("id: ")) {
                id = line.substring("id: ".length());
            } else if (line.startsWith("data: ")) {
                data = line.substring("data: ".length());
            }
        }
        if (data != null) {
            onEvent(Http.json(data));
        }
        if (id != null) {
            lastEventId = id;
            if (!ofNames(id).equals(vector(asked))) {
                faults.add(witness.name(), "the id " + id + " where the positions are " + vector(asked));
            }
        }
    }

    /** Passes an event on; a position of patterns is ignored, because the follower resumes subjects. */
    private void onEvent(JsonNode event) {
        if (!event.path("op").asText().equals("position")) {
            onEvent(JsonEvents.event(event));
        }
    }

    /** Returns an id without its last entry if that is the position of the patterns, which has no colon. */
    private static String ofNames(String id) {
        int last = id.lastIndexOf(',') + 1;
        return last == id.length() || id.indexOf(':', last) >= 0 ? id : id.substring(0, Math.max(0, last - 1));
    }

    // ---- calls ----

    private void byPolling(Http http) {
        int most = stay();
        for (int calls = 0; continues(calls * 10, most); calls++) {
            String subject = subjects.get(calls % subjects.size());
            Position from = witness.at(subject);
            JsonNode answer = call(http, target("/poll", List.of(subject)) + "&wait=100ms" + from("&from=", from));
            Position reached = JsonEvents.position(answer);
            if (reached != null) {
                witness.startAt(subject, reached);
                if (!reached.equals(witness.at(subject))) {
                    faults.add(
                            witness.name(),
                            "a poll of " + subject + " reached " + reached + ", its messages " + witness.at(subject));
                }
            }
        }
    }

    private void byHistory(Http http) {
        int most = stay();
        for (int calls = 0; continues(calls * 10, most); calls++) {
            String subject = subjects.get(calls % subjects.size());
            Position from = witness.at(subject);
            call(http, target("/history", List.of(subject)) + "&count=5" + from("&from=", from));
            park(random.nextInt(50));
        }
    }

    private static String from(String name, @Nullable Position position) {
        return position == null ? "" : name + position;
    }

    private JsonNode call(Http http, String target) {
        Http.Answer answer = http.get(target);
        if (answer.status() == UNAVAILABLE) {
            throw new RawConnection.Ended("with " + answer);
        }
        if (answer.status() != 200) {
            throw new AssertionError(target + ": " + answer);
        }
        for (JsonNode event : answer.json().path("messages")) {
            onEvent(JsonEvents.event(event));
        }
        return answer.json();
    }
}
