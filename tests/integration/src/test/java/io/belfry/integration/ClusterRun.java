package io.belfry.integration;

import io.belfry.client.BelfryClient;
import io.belfry.client.Gap;
import io.belfry.client.Message;
import io.belfry.client.MessageListener;
import io.belfry.client.Subscription;
import io.belfry.protocol.MessageType;
import io.belfry.protocol.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Runs nodes that may be killed, and publishers and subscribers of the Java client over all its transports. At the end
 * it reports lost, duplicate, reordered and diverging messages. A publisher has one pending message per subject.
 * Owner: the test's thread.
 */
final class ClusterRun implements AutoCloseable {
    private static final List<String> SUBJECTS = List.of("/c/0", "/c/1", "/c/2", "/c/3", "/c/4");
    private static final List<JavaClientTransport> WAYS = List.of(JavaClientTransport.values());
    private static final Duration SETTLING = Duration.ofSeconds(90);
    /** Pause of a publisher after each message; {@code -Dbelfry.cluster.pause=2} loads the nodes more. */
    private static final long PAUSE_MILLIS = Long.getLong("belfry.cluster.pause", 5);

    private final List<RestartedServer> nodes = new ArrayList<>();
    private final List<CuttingProxy> ways = new ArrayList<>();
    private final List<BelfryClient> clients = new ArrayList<>();
    private final List<View> views = new ArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();

    /** Published messages by subject and publisher, in the order of publishing. */
    private final Map<String, Map<Integer, List<String>>> published = new ConcurrentHashMap<>();

    private final List<Thread> publishers;
    private volatile boolean finishing;

    /** A received message. */
    private record Got(String text, Position at) {}

    /** The messages that one subscriber received. */
    private final class View implements MessageListener {
        private final int subscriber;
        private final Map<String, List<Got>> messages = new ConcurrentHashMap<>();

        View(int subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void onMessage(Message message) {
            if (message.type() != MessageType.SNAPSHOT) {
                messages.computeIfAbsent(message.subject(), subject -> Collections.synchronizedList(new ArrayList<>()))
                        .add(new Got(message.text(), message.position()));
            }
        }

        @Override
        public void onGap(Gap gap) {
            faults.add("gap: subscriber " + subscriber + " received " + gap);
        }

        List<Got> of(String subject) {
            List<Got> got = messages.getOrDefault(subject, List.of());
            synchronized (got) {
                return List.copyOf(got);
            }
        }

        int count() {
            return messages.values().stream().mapToInt(List::size).sum();
        }
    }

    /** Number of participants of each kind. */
    record Cast(int nodes, int publishers, int subscribers) {}

    ClusterRun(ClusterNodes cluster, Cast cast, String... sets) {
        for (int i = 0; i < cast.nodes(); i++) {
            RestartedServer node = new RestartedServer(cluster.settings(sets));
            nodes.add(node);
            ways.add(new CuttingProxy(node::port, NetworkFaults.FAIR));
        }
        int[] ports = ways.stream().mapToInt(CuttingProxy::port).toArray();
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < cast.subscribers(); i++) {
            View view = new View(i);
            views.add(view);
            BelfryClient client = WAYS.get(i % WAYS.size()).to(ports).build();
            clients.add(client);
            SUBJECTS.forEach(subject -> subscriptions.add(client.subscribe(subject, view)));
            client.start();
        }
        // Messages published before the subscription are not delivered to it.
        Await.until(
                "all subscriptions are confirmed",
                () -> subscriptions.stream().allMatch(each -> each.ready().isDone()));
        publishers = IntStream.range(0, cast.publishers())
                .mapToObj(i -> Thread.ofPlatform().start(() -> publish(i, ports)))
                .toList();
        Await.until(
                "each subscriber has a message of every subject",
                () -> views.stream().allMatch(each -> each.messages.size() == SUBJECTS.size()));
    }

    RestartedServer node(int index) {
        return nodes.get(index);
    }

    /** Returns the number of messages delivered so far. */
    int delivered() {
        return views.stream().mapToInt(View::count).sum();
    }

    // ---- publishing ----

    private void publish(int publisher, int[] ports) {
        Map<String, CompletableFuture<Position>> underWay = new HashMap<>();
        try (BelfryClient client = WAYS.get(publisher % WAYS.size())
                .to(ports)
                .publishTimeout(SETTLING)
                .build()
                .start()) {
            for (int i = 0; !finishing; i++) {
                String subject = SUBJECTS.get(i % SUBJECTS.size());
                CompletableFuture<Position> before = underWay.get(subject);
                if (before != null) {
                    before.get(SETTLING.toSeconds(), TimeUnit.SECONDS);
                }
                String text = publisher + "-" + i;
                underWay.put(subject, client.publish(subject, text));
                published
                        .computeIfAbsent(subject, each -> new ConcurrentHashMap<>())
                        .computeIfAbsent(publisher, each -> new ArrayList<>())
                        .add(text);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
            for (CompletableFuture<Position> last : underWay.values()) {
                last.get(SETTLING.toSeconds(), TimeUnit.SECONDS);
            }
        } catch (Exception failure) {
            faults.add("unanswered: publisher " + publisher + ": " + failure);
        }
    }

    // ---- the result ----

    /** Ends the publishing, waits until each subscriber has every message, and returns the faults. */
    List<String> finish() throws InterruptedException {
        finishing = true;
        for (Thread each : publishers) {
            each.join();
        }
        awaitAll(wanted().size());
        SUBJECTS.forEach(this::settle);
        return List.copyOf(faults);
    }

    private List<String> wanted() {
        return published.values().stream()
                .map(Map::values)
                .flatMap(Collection::stream)
                .flatMap(Collection::stream)
                .toList();
    }

    private void awaitAll(int count) {
        try {
            Await.until(
                    "each subscriber has " + count + " messages",
                    SETTLING,
                    () -> views.stream().allMatch(each -> each.count() >= count));
        } catch (AssertionError late) {
            faults.add(late.getMessage() + ", received: "
                    + views.stream().map(View::count).toList());
        }
    }

    private void settle(String subject) {
        List<Got> first = views.getFirst().of(subject);
        Map<Integer, List<String>> expected = published.getOrDefault(subject, Map.of());
        Set<String> lost = new LinkedHashSet<>();
        expected.values().forEach(lost::addAll);
        first.forEach(each -> lost.remove(each.text()));
        if (!lost.isEmpty()) {
            faults.add("lost: " + lost.size() + " of " + subject + ", " + lost);
        }
        Set<String> once = new HashSet<>();
        long doubled = first.stream().filter(each -> !once.add(each.text())).count();
        if (doubled > 0) {
            faults.add("duplicate: " + doubled + " of " + subject);
        }
        for (int i = 1; i < first.size(); i++) {
            if (first.get(i).at().seq() <= first.get(i - 1).at().seq()
                    || first.get(i).at().epoch() != first.getFirst().at().epoch()) {
                faults.add("out of order: " + first.get(i) + " of " + subject + " after " + first.get(i - 1));
            }
        }
        expected.forEach((publisher, texts) -> {
            String of = publisher + "-";
            List<String> came = first.stream()
                    .map(Got::text)
                    .filter(text -> text.startsWith(of))
                    .distinct()
                    .toList();
            if (!came.equals(texts)) {
                faults.add("out of order: messages of publisher " + publisher + " on " + subject);
            }
        });
        for (View each : views) {
            if (!each.of(subject).equals(first)) {
                faults.add("different order for subscriber " + each.subscriber + " on " + subject);
            }
        }
    }

    /** Returns the figures of the run for the output. */
    String account() {
        return wanted().size() + " published, " + delivered() + " delivered to " + views.size() + " subscribers, "
                + nodes.stream().mapToInt(RestartedServer::deaths).sum() + " nodes killed";
    }

    @Override
    public void close() {
        finishing = true;
        clients.forEach(BelfryClient::close);
        ways.forEach(CuttingProxy::close);
        nodes.forEach(RestartedServer::close);
    }
}
