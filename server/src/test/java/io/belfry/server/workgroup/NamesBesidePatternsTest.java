package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.protocol.ConnectRequest;
import io.belfry.protocol.KeptSession;
import io.belfry.protocol.Position;
import io.belfry.protocol.SubjectPosition;
import io.belfry.server.counter.Counter;
import io.belfry.testsupport.TestScope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests returning clients that follow subjects by name and by patterns that match some of them. */
class NamesBesidePatternsTest {
    @Test
    void keptSessionsMissNothingInAnyOrderOfTasks() {
        for (int seed = 0; seed < TestScope.seeds(50, 25); seed++) {
            try (Lanes lanes = new Lanes(1 + seed % 4, seed, "CacheSize=1000")) {
                new Play(lanes, KeptSession.NEW).run("seed " + seed);
                assertThat(lanes.level(Counter.SESSIONS_RESUMED))
                        .as("seed %d", seed)
                        .isPositive();
            }
        }
    }

    @Test
    void newSessionsMissNothingInAnyOrderOfTasks() {
        for (int seed = 0; seed < TestScope.seeds(50, 25); seed++) {
            try (Lanes lanes = new Lanes(1 + seed % 4, seed, "CacheSize=1000")) {
                new Play(lanes, null).run("seed " + seed);
            }
        }
    }

    /** A client that publishes, and one that is cut off and returns with its latest positions. */
    private static final class Play {
        private static final String PATTERN = "/play/**";
        private static final int NAMES = 14;

        private final Lanes lanes;
        private final @Nullable KeptSession keep;
        private final LaneClient publisher;
        private final List<String> names = new ArrayList<>();
        private final Map<String, Integer> published = new HashMap<>();

        /** What the subscriptions by name, and the pattern, have received of each subject. */
        private final Map<String, List<Long>> byName = new HashMap<>();

        private final Map<String, List<Long>> byPattern = new HashMap<>();
        private LaneClient client;
        private int taken;
        private int subjects = NAMES;
        private String position = "";
        private String session = "";
        private boolean continues;
        private String description = "";

        Play(Lanes lanes, @Nullable KeptSession keep) {
            this.lanes = lanes;
            this.keep = keep;
            publisher = lanes.connect();
            client = lanes.connect();
            IntStream.range(0, NAMES).forEach(i -> names.add((i % 4 == 0 ? "/own/" : "/play/") + i));
        }

        void run(String seed) {
            description = seed;
            connect();
            for (int round = 0; round < 6; round++) {
                publish();
                if (lanes.random.nextBoolean()) {
                    lanes.pass(5_000L * lanes.random.nextInt(4));
                }
                IntStream.range(0, lanes.random.nextInt(30)).forEach(i -> lanes.step());
                // The server may not notice the loss before the client returns.
                if (lanes.random.nextInt(4) > 0) {
                    client.vanish();
                }
                take();
                publish();
                IntStream.range(0, lanes.random.nextInt(10)).forEach(i -> lanes.step());
                client = lanes.connect();
                taken = 0;
                connect();
                publish();
            }
            lanes.pass(200);
            take();
            published.forEach((subject, count) -> {
                List<Long> all = LongStream.rangeClosed(1, count).boxed().toList();
                if (names.contains(subject)) {
                    assertThat(byName.get(subject))
                            .as("%s, %s by name", seed, subject)
                            .isEqualTo(all);
                }
                if (subject.startsWith("/play/")) {
                    assertThat(byPattern.get(subject))
                            .as("%s, %s by pattern", seed, subject)
                            .isEqualTo(all);
                }
            });
        }

        private void publish() {
            for (int i = lanes.random.nextInt(12); i >= 0; i--) {
                subjects += lanes.random.nextInt(4) == 0 ? 1 : 0;
                int number = lanes.random.nextInt(subjects);
                String subject = number < NAMES ? names.get(number) : "/play/" + number;
                publisher.publish(subject, "m");
                published.merge(subject, 1, Integer::sum);
            }
        }

        private long last(String subject) {
            List<Long> seqs = byName.getOrDefault(subject, List.of());
            return seqs.isEmpty() ? 0 : seqs.getLast();
        }

        private void connect() {
            continues = false;
            if (keep != null) {
                List<SubjectPosition> positions = names.stream()
                        .map(name -> new SubjectPosition(
                                name.getBytes(StandardCharsets.UTF_8), new Position(Lanes.EPOCH, last(name))))
                        .toList();
                KeptSession asked = session.isEmpty() ? keep : new KeptSession(session, positions);
                long id = client.request(new ConnectRequest(null, 0, asked, null));
                while (client.received(event -> event.id() == id).isEmpty()) {
                    assertThat(lanes.step()).as(description).isTrue();
                }
                session = client.answer(id).note();
                continues = client.answer(id).seq() == 1;
            }
            if (!continues) {
                names.forEach(name -> client.resume(name, Lanes.EPOCH, last(name)));
            }
            if (position.isEmpty()) {
                client.subscribe(PATTERN);
                lanes.settle();
            } else {
                client.resumePattern(PATTERN, position);
            }
        }

        /** Handles the client's events as clients do: they drop what they have, and expect the following seq. */
        private void take() {
            List<String> confirmed = new ArrayList<>();
            for (ReceivedEvent event :
                    client.received().subList(taken, client.received().size())) {
                assertThat(event.op()).as(description).isNotIn("gap", "error");
                if (event.op().equals("position") || event.is("subscribed", PATTERN)) {
                    position = event.data();
                } else if (event.op().equals("subscribed")) {
                    confirmed.add(event.subject());
                } else if (event.isMessage()) {
                    boolean named = continues ? names.contains(event.subject()) : confirmed.contains(event.subject());
                    if (named) {
                        take(byName, event);
                    }
                    if (event.subject().startsWith("/play/")) {
                        take(byPattern, event);
                    }
                }
            }
            taken = client.received().size();
        }

        private void take(Map<String, List<Long>> received, ReceivedEvent event) {
            List<Long> seqs = received.computeIfAbsent(event.subject(), subject -> new ArrayList<>());
            long last = seqs.isEmpty() ? 0 : seqs.getLast();
            if (event.seq() > last) {
                assertThat(event.seq())
                        .as("%s, %s after %s", description, event, seqs)
                        .isEqualTo(last + 1);
                seqs.add(event.seq());
            }
        }
    }
}
