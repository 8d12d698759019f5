package io.belfry.server.workgroup;

import static org.assertj.core.api.Assertions.assertThat;

import io.belfry.server.config.EventConfig;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.server.home.OccupiedSubjects;
import io.belfry.testsupport.TestScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests the events of first and last subscribers, on whatever lanes the subscribers and the subject are. */
class OccupiedSubjectsTest {
    private static final int SEEDS = TestScope.seeds(37, 20);
    private static final String[] SETTINGS = {"Events.Subject=all", "Subjects.1=/room/** events=subscribers"};
    private static final int MILLIS = 1_000;

    /** The events of all lanes in their order; no thread but that of the test. */
    private static final class Recorder implements OccupiedSubjects.Observer {
        final List<String> events = new ArrayList<>();
        final Set<String> occupied = new TreeSet<>();

        @Override
        public void onOccupied(String name) {
            events.add("occupied " + name);
            assertThat(occupied.add(name)).as(name).isTrue();
        }

        @Override
        public void onVacated(String name) {
            events.add("vacated " + name);
            assertThat(occupied.remove(name)).as(name).isTrue();
        }
    }

    /** Connects the lanes to a recorder and adds the tick that a lane with events has. */
    private static final class Observed {
        final Recorder recorder = new Recorder();
        private final Lanes lanes;
        private final List<OccupiedSubjects> occupied = new ArrayList<>();

        Observed(Lanes lanes, int vacantMax) {
            this.lanes = lanes;
            for (int i = 0; i < lanes.count(); i++) {
                LaneParts parts = lanes.lane(i).parts();
                OccupiedSubjects each = new OccupiedSubjects(
                        parts.turn,
                        parts.work,
                        parts.options,
                        parts.counters,
                        recorder,
                        new EventConfig.Vacancy(MILLIS, vacantMax),
                        vacantMax);
                parts.home.connect(each);
                occupied.add(each);
            }
        }

        void pass(int millis) {
            for (int passed = 0; passed < millis; passed += 100) {
                lanes.pass(100);
                for (int i = 0; i < lanes.count(); i++) {
                    OccupiedSubjects each = occupied.get(i);
                    Lane lane = lanes.lane(i);
                    lanes.in(i, () -> lane.run(each::tick));
                }
                lanes.settle();
            }
        }
    }

    private static LaneClient subscriber(Lanes lanes, int lane, String subject) {
        LaneClient client = lanes.connect(lane);
        client.subscribe(subject);
        lanes.settle();
        return client;
    }

    @Test
    void theFirstAndTheLastSubscriberOfAllLanesAreReported() {
        try (Lanes lanes = new Lanes(3, 1, SETTINGS)) {
            Observed observed = new Observed(lanes, 10);
            List<LaneClient> clients = new ArrayList<>();
            for (int lane = 0; lane < 3; lane++) {
                clients.add(subscriber(lanes, lane, "/room/1"));
                subscriber(lanes, lane, "/other");
            }
            subscriber(lanes, 0, "/room/*");
            assertThat(observed.recorder.events).containsExactly("occupied /room/1");
            clients.get(0).vanish();
            clients.get(1).unsubscribe("/room/1");
            observed.pass(2 * MILLIS);
            assertThat(observed.recorder.events).hasSize(1);
            clients.get(2).vanish();
            observed.pass(MILLIS - 200);
            assertThat(observed.recorder.events).hasSize(1);
            observed.pass(400);
            assertThat(observed.recorder.events).containsExactly("occupied /room/1", "vacated /room/1");
        }
    }

    @Test
    void aSubscriberThatReturnsInTimeCausesNoEvent() {
        try (Lanes lanes = new Lanes(2, 2, SETTINGS)) {
            Observed observed = new Observed(lanes, 10);
            for (int i = 0; i < 20; i++) {
                LaneClient client = subscriber(lanes, i % 2, "/room/1");
                observed.pass(100);
                client.vanish();
                observed.pass(MILLIS - 200);
            }
            assertThat(observed.recorder.events).containsExactly("occupied /room/1");
            observed.pass(400);
            assertThat(observed.recorder.events).containsExactly("occupied /room/1", "vacated /room/1");
        }
    }

    @Test
    void beyondTheBoundTheOldestIsReportedAtOnce() {
        try (Lanes lanes = new Lanes(1, 3, SETTINGS)) {
            Observed observed = new Observed(lanes, 2);
            for (int i = 0; i < 5; i++) {
                subscriber(lanes, 0, "/room/" + i).vanish();
                lanes.settle();
            }
            assertThat(observed.recorder.occupied).containsExactly("/room/3", "/room/4");
            assertThat(lanes.level(Counter.SUBJECTS_VACATED_EARLY)).isEqualTo(3);
            observed.pass(2 * MILLIS);
            assertThat(observed.recorder.occupied).isEmpty();
            assertThat(observed.recorder.events).hasSize(10);
        }
    }

    @Test
    void aReloadChangesNothingForSubjectsThatWereReported() {
        try (Lanes lanes = new Lanes(1, 4, SETTINGS)) {
            Observed observed = new Observed(lanes, 10);
            LaneClient client = subscriber(lanes, 0, "/room/1");
            LaneClient other = subscriber(lanes, 0, "/later/1");
            ServerConfig next = Lanes.config(1, "Events.Subject=all", "Subjects.1=/later/** events=subscribers");
            lanes.in(0, () -> lanes.lane(0).reconfigure(next, new OpenEntitlement()));
            lanes.settle();
            client.vanish();
            other.vanish();
            observed.pass(2 * MILLIS);
            assertThat(observed.recorder.events).containsExactly("occupied /room/1", "vacated /room/1");
            subscriber(lanes, 0, "/room/1");
            subscriber(lanes, 0, "/later/1");
            assertThat(observed.recorder.events).last().isEqualTo("occupied /later/1");
        }
    }

    /** The recorder requires that the two events of a subject alternate; this play requires that they are true and in time. */
    @Test
    void theEventsFollowTheSubscribersInAnyOrderOfTasks() {
        for (int count : new int[] {1, 4}) {
            Counters counters = new Counters(count);
            ServerConfig config = Lanes.config(count, SETTINGS);
            for (int seed = 0; seed < SEEDS; seed++) {
                try (Lanes lanes = new Lanes(count, seed, new OpenEntitlement(), counters, config)) {
                    play(lanes, new Observed(lanes, 10));
                }
            }
        }
    }

    private static void play(Lanes lanes, Observed observed) {
        Map<LaneClient, String> subscribers = new HashMap<>();
        for (int i = 0; i < 60; i++) {
            int action = lanes.random.nextInt(10);
            List<LaneClient> clients = new ArrayList<>(subscribers.keySet());
            if (action < 5 || clients.isEmpty()) {
                LaneClient client = lanes.connect();
                String subject = "/room/" + lanes.random.nextInt(3);
                if (lanes.random.nextBoolean()) {
                    client.subscribe(subject);
                } else {
                    client.conflate(subject, 100);
                }
                subscribers.put(client, subject);
            } else if (action < 9) {
                LaneClient client = clients.get(lanes.random.nextInt(clients.size()));
                String subject = Objects.requireNonNull(subscribers.remove(client));
                if (lanes.random.nextBoolean()) {
                    client.vanish();
                } else {
                    client.unsubscribe(subject);
                }
            } else {
                observed.pass(300 + lanes.random.nextInt(1_500));
                // The lanes are settled: a subject with subscribers was reported.
                assertThat(observed.recorder.occupied).containsAll(Set.copyOf(subscribers.values()));
            }
            for (int steps = lanes.random.nextInt(4); steps > 0; steps--) {
                lanes.step();
            }
        }
        observed.pass(2 * MILLIS);
        assertThat(observed.recorder.occupied)
                .isEqualTo(subscribers.values().stream().collect(Collectors.toCollection(TreeSet::new)));
    }
}
