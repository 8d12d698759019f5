package io.belfry.server.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.belfry.server.counter.Counter;
import io.belfry.server.counter.Counters;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ObjLongConsumer;
import org.junit.jupiter.api.Test;

/** Tests what the feed publishes, second by second, with a manual clock and a recording outlet. */
class FeedTest {
    /** Subjects that a test marks as followed, and the last message of each. */
    private static final class RecordingOutlet implements FeedOutlet {
        final Set<String> followed = new HashSet<>();
        final Map<String, byte[]> published = new HashMap<>();
        final Map<String, ObjLongConsumer<byte[]>> receivers = new HashMap<>();

        @Override
        public boolean isFollowed(String subject) {
            return followed.contains(subject);
        }

        @Override
        public boolean isFollowedHere(String subject) {
            return followed.contains(subject);
        }

        @Override
        public void publish(String subject, byte[] json) {
            published.put(subject, json);
        }

        @Override
        public void follow(String subject, ObjLongConsumer<byte[]> receiver) {
            receivers.put(subject, receiver);
        }

        @Override
        public void unfollow(String subject) {
            receivers.remove(subject);
        }
    }

    private final Counters counters = new Counters(2);
    private final Fixtures.SwitchedHealth health = new Fixtures.SwitchedHealth();
    private final Monitored monitored = Fixtures.monitored(counters, health);
    private final AtomicLong nanos = new AtomicLong();
    private final Sampler sampler = new Sampler(counters, monitored.workgroups(), nanos::get);
    private final RecordingOutlet outlet = new RecordingOutlet();
    private final Feed feed = new Feed(outlet, new SnapshotFeed(monitored, List::of), "node-a", sampler.latest());

    private void second() {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        outlet.published.clear();
        feed.onSecond(sampler.sample());
    }

    private JsonNode published(String subject) throws IOException {
        return new ObjectMapper().readTree(outlet.published.get(subject));
    }

    @Test
    void nothingIsPublishedWithoutSubscribers() {
        second();
        assertThat(outlet.published).isEmpty();
    }

    @Test
    void onlyFollowedSubjectsAreMade() {
        Feed failing = new Feed(
                outlet,
                (subject, before, now) -> subject.name().getBytes(StandardCharsets.UTF_8),
                "n",
                sampler.latest());
        outlet.followed.add("/$node/n/lanes");
        failing.onSecond(sampler.sample());
        assertThat(outlet.published).containsOnlyKeys("/$node/n/lanes");
    }

    @Test
    void statsAreThoseOfThePageWithoutItsLists() throws IOException {
        outlet.followed.add("/$node/node-a/stats");
        counters.loop(0).add(Counter.SESSIONS_OPENED, 3);
        second();
        JsonNode stats = published("/$node/node-a/stats");
        assertThat(stats.path("node").asText()).isEqualTo("node-a");
        assertThat(stats.path("connectedSessions").asInt()).isEqualTo(3);
        assertThat(stats.has("slowest")).isFalse();
        assertThat(stats.has("workgroups")).isFalse();
        assertThat(stats.has("perSecond")).isTrue();
    }

    @Test
    void latencyIsThatOfOneSecond() throws IOException {
        String subject = "/$node/node-a/latency";
        outlet.followed.add(subject);
        counters.loop(0).deliveryLatency().record(300, 4);
        second();
        assertThat(published(subject).path("count").asInt()).isEqualTo(4);
        counters.loop(1).deliveryLatency().record(80, 2);
        counters.loop(1).deliveryLatency().record(700, 1);
        second();
        JsonNode latency = published(subject);
        assertThat(latency.path("count").asInt()).isEqualTo(3);
        assertThat(latency.path("counts")).hasSize(LatencyBuckets.BOUNDS_MICROS.size() + 1);
        assertThat(latency.path("counts").get(0).asInt()).isEqualTo(2);
        assertThat(latency.path("counts").get(3).asInt()).isEqualTo(1);
        second();
        assertThat(published(subject).path("count").asInt()).isZero();
    }

    @Test
    void lanesAndSlowSessionsHaveTheirOwnSubjects() throws IOException {
        outlet.followed.addAll(Set.of("/$node/node-a/lanes", "/$node/node-a/slow"));
        second();
        assertThat(published("/$node/node-a/lanes").path("workgroups")).hasSize(2);
        assertThat(published("/$node/node-a/slow").path("slowest")).isEmpty();
    }

    @Test
    void eventsArePublishedOnlyWhenSomethingHappened() throws IOException {
        String subject = "/$node/node-a/events";
        outlet.followed.add(subject);
        second();
        assertThat(published(subject).at("/events/0/event").asText()).isEqualTo("ready");
        second();
        assertThat(outlet.published).isEmpty();
        counters.loop(1).add(Counter.MESSAGES_DROPPED, 5);
        health.draining = true;
        second();
        JsonNode events = published(subject).path("events");
        assertThat(events).hasSize(2);
        assertThat(events.get(0).path("event").asText()).isEqualTo("not-ready");
        assertThat(events.get(0).path("reason").asText()).contains("drained");
        assertThat(events.get(1).path("counter").asText()).isEqualTo("messagesDropped");
        assertThat(events.get(1).path("by").asInt()).isEqualTo(5);
        outlet.followed.clear();
        second();
        outlet.followed.add(subject);
        second();
        assertThat(published(subject).at("/events/0/event").asText()).isEqualTo("not-ready");
    }

    @Test
    void aSummaryOfANodeIsReadAsItWasWritten() throws IOException {
        outlet.followed.add("/$cluster/nodes");
        counters.loop(0).add(Counter.SESSIONS_OPENED, 3);
        counters.loop(0).add(Counter.CLUSTER_STALE, 1);
        second();
        NodeSummary read = NodeSummary.read(Objects.requireNonNull(outlet.published.get("/$cluster/nodes")), 5);
        assertThat(read).isEqualTo(NodeSummary.of(monitored, sampler.latest(), List.of(), 5));
        assertThat(read.stale()).isTrue();
        assertThat(read.figures().sessions()).isEqualTo(3);
    }

    @Test
    void otherNodesAreFollowedOnlyWhileSomebodyAsks() {
        NodeOverview overview = new NodeOverview(outlet, true, nanos::get);
        NodeSummary own = NodeSummary.of(monitored, sampler.latest(), List.of(), 5);
        assertThat(outlet.receivers).isEmpty();
        assertThat(overview.with(own)).containsExactly(own);
        ObjLongConsumer<byte[]> receiver = Objects.requireNonNull(outlet.receivers.get("/$cluster/nodes"));
        receiver.accept("{\"node\":\"b\",\"sessions\":7,\"more\":[1,{}]}".getBytes(StandardCharsets.UTF_8), 9);
        receiver.accept("[]".getBytes(StandardCharsets.UTF_8), 9);
        receiver.accept("{\"node\":\"c\",\"sessions\":\"x\"}".getBytes(StandardCharsets.UTF_8), 9);
        List<NodeSummary> nodes = overview.with(own);
        assertThat(nodes).extracting(NodeSummary::node).containsExactly("b", "node-a");
        assertThat(nodes.getFirst().figures().sessions()).isEqualTo(7);
        assertThat(nodes.getFirst().seenMillis()).isEqualTo(9);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
        overview.onSecond();
        assertThat(outlet.receivers).isNotEmpty();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        overview.onSecond();
        assertThat(outlet.receivers).isEmpty();
        assertThat(overview.with(own)).containsExactly(own);
        assertThat(outlet.receivers).isNotEmpty();
    }

    @Test
    void aSingleNodeFollowsNothing() {
        NodeOverview overview = new NodeOverview(outlet, false, nanos::get);
        NodeSummary own = NodeSummary.of(monitored, sampler.latest(), List.of(), 5);
        assertThat(overview.with(own)).containsExactly(own);
        assertThat(outlet.receivers).isEmpty();
    }
}
