package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A message to many sessions is written in several turns, and the lane serves its sockets and other subjects in between. */
class DeferredWritesTest {
    private static final int SESSIONS = 1000;

    private final Lanes lanes = new Lanes(1, 1, "CacheSize=1000");
    private final LaneClient publisher = lanes.connect(0);
    private final List<LaneClient> many = new ArrayList<>();

    private void subscribe(int sessions) {
        for (int i = 0; i < sessions; i++) {
            LaneClient client = lanes.connect(0);
            client.subscribe("/all");
            client.subscribe("/own/" + i);
            many.add(client);
        }
        lanes.settle();
        // Each group of 64 sessions takes 0.7 ms, so a turn writes to some hundred sessions.
        lanes.clock.passPerRead(175_000);
    }

    private List<String> messages(LaneClient client) {
        return client.received(event -> event.op().equals("message")).stream()
                .map(ReceivedEvent::data)
                .toList();
    }

    private long haveAll(String message) {
        return many.stream()
                .filter(client -> messages(client).contains(message))
                .count();
    }

    @Test
    void aMessageToManySessionsIsWrittenInSeveralTurns() {
        subscribe(SESSIONS);
        publisher.publish("/all", "first");
        lanes.runTurn(0);
        assertThat(haveAll("first")).isBetween(16L, 500L);
        lanes.settle();
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).containsExactly("first"));
        lanes.close();
    }

    @Test
    void aMessageToOneSessionDoesNotWaitForTheOthers() {
        subscribe(SESSIONS);
        publisher.publish("/all", "first");
        lanes.runTurn(0);
        List<Integer> waiting = IntStream.range(0, SESSIONS)
                .filter(i -> messages(many.get(i)).isEmpty())
                .boxed()
                .toList();
        int last = waiting.getFirst(); // The fan-out goes backwards.
        publisher.publish("/own/" + last, "own");
        lanes.runTurn(0);
        assertThat(messages(many.get(last))).containsExactly("first", "own");
        assertThat(haveAll("first")).isLessThan(SESSIONS);
        lanes.settle();
        assertThat(haveAll("first")).isEqualTo(SESSIONS);
        lanes.close();
    }

    @Test
    void messagesOfLaterTurnsAreInTheSameWrite() {
        subscribe(SESSIONS);
        int writes = many.stream().mapToInt(client -> client.socket.writes).sum();
        for (int i = 0; i < 20; i++) {
            publisher.publish("/all", "m" + i);
            lanes.runTurn(0);
        }
        lanes.settle();
        List<String> all = IntStream.range(0, 20).mapToObj(i -> "m" + i).toList();
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).isEqualTo(all));
        int more = many.stream().mapToInt(client -> client.socket.writes).sum() - writes;
        assertThat(more).isLessThan(SESSIONS * 20 / 2);
        lanes.close();
    }

    @Test
    void deferredMessagesOfAnEndedSessionAreNotSentToTheNext() {
        subscribe(SESSIONS);
        publisher.publish("/all", "first");
        lanes.runTurn(0);
        LaneClient waiting = many.stream()
                .filter(client -> messages(client).isEmpty())
                .findFirst()
                .orElseThrow();
        waiting.vanish();
        many.remove(waiting);
        LaneClient next = lanes.connect(0);
        assertThat(next.session.slot()).isEqualTo(waiting.session.slot());
        lanes.settle();
        assertThat(messages(next)).isEmpty();
        assertThat(haveAll("first")).isEqualTo(SESSIONS - 1);
        lanes.close();
    }

    @Test
    void tooManyDeferredBytesAreWrittenAtOnce() {
        subscribe(20);
        lanes.writeSlowly(0);
        String data = "x".repeat(60_000);
        int together = 0;
        for (int i = 1; i <= 90; i++) {
            publisher.publish("/all", data);
            lanes.runTurn(0);
            int published = i;
            together += many.stream().allMatch(client -> messages(client).size() >= published - 1) ? 1 : 0;
        }
        assertThat(together).isBetween(1, 3);
        lanes.settle();
        assertThat(many).allSatisfy(client -> assertThat(messages(client)).hasSize(90));
        lanes.close();
    }
}
