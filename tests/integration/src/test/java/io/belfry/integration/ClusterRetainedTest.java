package io.belfry.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.cluster.Brokers;
import io.belfry.cluster.KafkaProcess;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the retained messages with the publishers' acknowledgements while nodes and the broker are killed. {@code
 * belfry.cluster.seconds} sets the length of the run.
 */
@Tag("complete")
final class ClusterRetainedTest {
    private static final int SECONDS = Integer.getInteger("belfry.cluster.seconds", 0);
    private static final int PARTITIONS = 4;
    private static final List<String> SUBJECTS =
            IntStream.range(0, 8).mapToObj(i -> "/kept/" + i).toList();

    private static Brokers brokers;

    private final Random random = new Random(5);

    /** Possible values of each subject: one, or several after a publish with an unknown outcome. */
    private final Map<String, Set<String>> possibleValues = new HashMap<>();

    private int published;

    @BeforeAll
    static void start() throws IOException {
        brokers = ClusterNodes.startBrokers(1);
    }

    @AfterAll
    static void stop() {
        brokers.close();
    }

    @Test
    void retainedMessagesMatchTheAcknowledgementsAfterKills() throws InterruptedException {
        SUBJECTS.forEach(subject -> possibleValues.put(subject, new TreeSet<>(Set.of(""))));
        Topics topics = new Topics(brokers.addresses());
        ClusterNodes cluster = ClusterNodes.on(brokers);
        try (RestartedServer a = new RestartedServer(cluster.settings());
                RestartedServer b = new RestartedServer(cluster.settings())) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            for (int round = 0; System.nanoTime() - end < 0; round++) {
                killInTurn(round, a, b);
            }
            publish(60, a, b);
            a.kill();
            Await.until("node b has the acknowledged messages", () -> isAsAcknowledged(retained(b)));
            Map<String, String> kept = retained(b);
            Await.until(
                    "node b stores the messages that node a did not",
                    () -> stored(topics, cluster).equals(valuesOf(kept)));
            if (SECONDS > 0) {
                killTogether(topics, cluster, a, b);
            }
        }
    }

    private void killInTurn(int round, RestartedServer a, RestartedServer b) throws InterruptedException {
        RestartedServer dies = round % 2 == 0 ? a : b;
        publish(40, a, b);
        dies.kill();
        publish(20, round % 2 == 0 ? b : a);
        if (round % 3 == 2) {
            restartBroker();
        }
        dies.start();
        requireAsAcknowledged(a, b);
    }

    /** After the kills the log is emptied, as by expired retention. */
    private void killTogether(Topics topics, ClusterNodes cluster, RestartedServer a, RestartedServer b) {
        publish(40, b);
        b.kill();
        a.start();
        b.start();
        requireAsAcknowledged(a, b);
        Map<String, String> kept = retained(a);
        Await.until(
                "every retained message is stored",
                () -> stored(topics, cluster).equals(valuesOf(kept)));
        topics.empty(cluster.topic(), PARTITIONS);
        a.kill();
        a.start();
        assertThat(retained(a)).isEqualTo(kept);
    }

    private void publish(int count, RestartedServer... nodes) {
        for (int i = 0; i < count; i++) {
            String subject = SUBJECTS.get(random.nextInt(SUBJECTS.size()));
            String data = random.nextInt(4) == 0 ? "" : "v" + published;
            published++;
            try (Http http = Http.to(nodes[random.nextInt(nodes.length)].port())) {
                Http.Answer answer = http.post("/publish?retain&subject=" + subject, data, "Connection: close");
                if (answer.status() == 200) {
                    possibleValues.put(subject, new TreeSet<>(Set.of(data)));
                } else if (answer.code().equals("publish-unknown")) {
                    possibleValues.getOrDefault(subject, new TreeSet<>()).add(data);
                }
            }
        }
    }

    private static void restartBroker() throws InterruptedException {
        KafkaProcess broker = brokers.all().getFirst();
        broker.kill();
        TimeUnit.MILLISECONDS.sleep(500);
        try {
            broker.start();
            broker.awaitStarted(60);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void requireAsAcknowledged(RestartedServer a, RestartedServer b) {
        Await.until(
                "both nodes have the acknowledged messages",
                () -> isAsAcknowledged(retained(a)) && isAsAcknowledged(retained(b)));
        assertThat(retained(a))
                .as("retained messages and positions of both nodes")
                .isEqualTo(retained(b));
    }

    private boolean isAsAcknowledged(Map<String, String> retained) {
        Map<String, String> values = valuesOf(retained);
        return SUBJECTS.stream()
                .allMatch(subject ->
                        possibleValues.getOrDefault(subject, Set.of()).contains(values.getOrDefault(subject, "")));
    }

    /** Returns value and position of each subject with a retained message, as a new subscriber receives them. */
    private static Map<String, String> retained(RestartedServer node) {
        Map<String, String> found = new TreeMap<>();
        try (TestClient client = TestClient.over(RawConnection.to(node.port()), WireEncoding.JSON)) {
            for (String subject : SUBJECTS) {
                client.subscribe(subject);
                client.ping(1);
                for (Event next = client.next(); !(next instanceof Event.Pong); next = client.next()) {
                    if (next instanceof Event.Message message) {
                        found.put(subject, message.data() + " at " + message.at());
                    }
                }
            }
        }
        return found;
    }

    private static Map<String, String> valuesOf(Map<String, String> retained) {
        Map<String, String> values = new TreeMap<>();
        retained.forEach((subject, text) -> values.put(subject, text.substring(0, text.indexOf(' '))));
        return values;
    }

    /** Returns the last stored value of each subject. */
    private static Map<String, String> stored(Topics topics, ClusterNodes cluster) {
        Map<String, String> values = new TreeMap<>();
        for (ConsumerRecord<String, String> each : topics.records(cluster.topic() + ".retained", PARTITIONS)) {
            if (each.value() == null) {
                values.remove(each.key());
            } else if (each.key().startsWith("/")) {
                values.put(each.key(), each.value());
            }
        }
        return values;
    }
}
