package io.belfry.server.cluster;

import io.belfry.server.broker.MemberEvents;
import io.belfry.server.broker.MemberReports;
import io.belfry.server.config.KafkaConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.subject.SubjectKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/**
 * Exchanges the members of subjects through a topic of its own, and passes those of all nodes to the lanes. Nothing of it runs
 * before a subject has presence. One thread; methods for lanes say so.
 */
final class MemberLog implements MemberReports, MemberExchange.Listener, NodeLog.Reports {
    private static final long PAST_SLACK_MILLIS = TimeUnit.MINUTES.toMillis(1);

    /** A lane's report about a session. */
    private record SessionReport(
            ByteBuffer subject, String user, @Nullable String info, boolean enters) {}

    /** A step of a lane. */
    private interface Step {
        void take(MemberEvents events);
    }

    private final NodeLog log;
    private final MemberExchange exchange;
    private final ObjLongConsumer<Counter> counting;
    private final Queue<SessionReport> reports = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean begun = new AtomicBoolean();
    private @Nullable HomeLanes lanes;
    private int reported;
    private boolean leading;

    MemberLog(
            KafkaConfig config,
            long node,
            ClientSettings clients,
            Admin admin,
            LongSupplier clockMillis,
            ObjLongConsumer<Counter> counting) {
        this.counting = counting;
        exchange = new MemberExchange(this, config.times().presenceMillis(), config.presenceMembers());
        log = new NodeLog(config, use(config), node, clients, admin, clockMillis, this);
    }

    /** Returns the use of the topic. The nodes that have written in the time of silence may be alive, so their records are read. */
    static NodeLog.Use use(KafkaConfig config) {
        return new NodeLog.Use(
                ".members",
                config.times().presenceMillis() + PAST_SLACK_MILLIS,
                "followers of presence subjects see no changes of members on this node");
    }

    /** Sets the lanes; called before {@link #begin}. */
    void connect(List<KafkaBroker> all, SubjectKey hashing) {
        lanes = new HomeLanes(all, hashing);
    }

    /** Called by a lane, or by the thread that starts the cluster. */
    @Override
    public void begin() {
        if (begun.compareAndSet(false, true)) {
            lanes().all().forEach(lane -> lane.run(lane::showMembers));
            log.start();
        }
    }

    /** Called by a lane. */
    @Override
    public void enter(byte[] subject, String user, @Nullable String info) {
        reports.add(new SessionReport(ByteBuffer.wrap(subject), user, info, true));
    }

    /** Called by a lane. */
    @Override
    public void leave(byte[] subject, String user) {
        reports.add(new SessionReport(ByteBuffer.wrap(subject), user, null, false));
    }

    @Override
    public void onRecord(String node, boolean own, byte[] value, NodeLog.Place place) {
        exchange.onRecord(node, own, value, place);
    }

    @Override
    public void onSkipped() {
        exchange.hello();
    }

    @Override
    public void onLost() {
        exchange.sayAll();
    }

    @Override
    public void report(boolean alive, Consumer<byte[]> records) {
        for (SessionReport next = reports.poll(); next != null; next = reports.poll()) {
            if (!next.enters) {
                exchange.leave(next.subject, next.user);
            } else if (!exchange.enter(next.subject, next.user, next.info)) {
                counting.accept(Counter.CLUSTER_MEMBERS_LEFT_OUT, 1);
            }
        }
        if (exchange.ownUsers() != reported) {
            counting.accept(Counter.CLUSTER_MEMBERS_REPORTED, exchange.ownUsers() - reported);
            reported = exchange.ownUsers();
        }
        long now = System.nanoTime();
        exchange.say(alive, now, records);
        boolean leads = exchange.lead(now);
        if (leads != leading) {
            leading = leads;
            counting.accept(Counter.CLUSTER_LEADS_PRESENCE, leads ? 1 : -1);
        }
    }

    @Override
    public void end(Consumer<byte[]> records) {
        exchange.sayBye(System.nanoTime(), records);
    }

    @Override
    public void onEntered(ByteBuffer subject, String user, @Nullable String info) {
        toLane(subject, events -> events.onEntered(Presence.bytes(subject), user, info));
    }

    @Override
    public void onLeft(ByteBuffer subject, String user, long silentMillis) {
        toLane(subject, events -> events.onLeft(Presence.bytes(subject), user, silentMillis));
    }

    @Override
    public void onLeading(long untilNanos) {
        toAll(events -> events.onLeading(untilNanos));
    }

    @Override
    public void onNodeStarted() {
        toAll(MemberEvents::onNodeStarted);
    }

    private void toAll(Step step) {
        lanes().all().forEach(lane -> run(lane, step));
    }

    private void toLane(ByteBuffer subject, Step step) {
        run(lanes().homeOf(subject), step);
    }

    private HomeLanes lanes() {
        return Objects.requireNonNull(lanes);
    }

    private static void run(KafkaBroker lane, Step step) {
        lane.run(() -> {
            MemberEvents events = lane.events().members();
            if (events != null) {
                step.take(events);
            }
        });
    }

    void close() throws InterruptedException {
        log.close();
    }
}
