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
 * Nodes that may be killed, publishers and subscribers that go from one to the other with the Java client, over each of its
 * transports, and in the end the account: what was lost, doubled, out of order or not the same for all. A publisher has one
 * message of each subject under way at a time. Owner: the test's thread.
 */
final class ClusterRun implements AutoCloseable {
    private static final List<String> SUBJECTS = List.of("/c/0", "/c/1", "/c/2", "/c/3", "/c/4");
    private static final List<JavaWay> WAYS = List.of(JavaWay.values());
    private static final Duration SETTLING = Duration.ofSeconds(90);
    private static final long PAUSE_MILLIS = 2;

    private final List<RestartedServer> nodes = new ArrayList<>();
    private final List<CuttingProxy> ways = new ArrayList<>();
    private final List<BelfryClient> clients = new ArrayList<>();
    private final List<Sight> sights = new ArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();

    /** By subject and publisher, in the order of publishing. */
    private final Map<String, Map<Integer, List<String>>> published = new ConcurrentHashMap<>();

    private final List<Thread> publishers;
    private volatile boolean finishing;

    /** A message as it came. */
    private record Got(String text, Position at) {}

    /** What one application sees. */
    private final class Sight implements MessageListener {
        private final int subscriber;
        private final Map<String, List<Got>> messages = new ConcurrentHashMap<>();

        Sight(int subscriber) {
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
            faults.add("gap: subscriber " + subscriber + " was told of " + gap);
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

    /** How many of each take part. */
    record Cast(int nodes, int publishers, int subscribers) {}

    ClusterRun(ClusterNodes cluster, Cast cast, String... sets) {
        for (int i = 0; i < cast.nodes(); i++) {
            RestartedServer node = new RestartedServer(cluster.settings(sets));
            nodes.add(node);
            ways.add(new CuttingProxy(node::port, Weather.FAIR));
        }
        int[] ports = ways.stream().mapToInt(CuttingProxy::port).toArray();
        List<Subscription> subscriptions = new ArrayList<>();
        for (int i = 0; i < cast.subscribers(); i++) {
            Sight sight = new Sight(i);
            sights.add(sight);
            BelfryClient client = WAYS.get(i % WAYS.size()).to(ports).build();
            clients.add(client);
            SUBJECTS.forEach(subject -> subscriptions.add(client.subscribe(subject, sight)));
            client.start();
        }
        // What comes before they are subscribed is not theirs to get.
        Await.until(
                "all are subscribed",
                () -> subscriptions.stream().allMatch(each -> each.ready().isDone()));
        publishers = IntStream.range(0, cast.publishers())
                .mapToObj(i -> Thread.ofPlatform().start(() -> publish(i, ports)))
                .toList();
        Await.until("all see all", () -> sights.stream().allMatch(each -> each.messages.size() == SUBJECTS.size()));
    }

    RestartedServer node(int index) {
        return nodes.get(index);
    }

    /** Messages that subscribers have got so far. */
    int delivered() {
        return sights.stream().mapToInt(Sight::count).sum();
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

    // ---- the account ----

    /** Ends the publishing, waits until everybody has everything, and answers what is wrong. */
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
                    "everybody has " + count, SETTLING, () -> sights.stream().allMatch(each -> each.count() >= count));
        } catch (AssertionError late) {
            faults.add(late.getMessage() + ", they have "
                    + sights.stream().map(Sight::count).toList());
        }
    }

    private void settle(String subject) {
        List<Got> first = sights.getFirst().of(subject);
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
            faults.add("doubled: " + doubled + " of " + subject);
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
                faults.add("out of order: what publisher " + publisher + " published on " + subject);
            }
        });
        for (Sight each : sights) {
            if (!each.of(subject).equals(first)) {
                faults.add("not the same for subscriber " + each.subscriber + " on " + subject);
            }
        }
    }

    /** What took part, for the record. */
    String account() {
        return wanted().size() + " published, " + delivered() + " delivered to " + sights.size() + " subscribers, "
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
