package io.belfry.server.cluster;

import io.belfry.server.config.KafkaConfig;
import io.belfry.server.counter.Counter;
import io.belfry.server.subject.SubjectKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;

/** Exchanges the nodes' {@link Presence} through a topic of its own, and notifies the lanes. One thread; methods for lanes say so. */
final class PresenceLog implements Presence.Listener, PresenceReports, NodeLog.Reports {
    /** The topic of the exchange. */
    static final NodeLog.Use USE = new NodeLog.Use(".presence", 0, "`watch` reports local subscribers only");

    /** A lane's report about one of its subjects. */
    private record Told(ByteBuffer subject, boolean watch, boolean now) {}

    private final NodeLog log;
    private final Presence presence;
    private final ObjLongConsumer<Counter> counting;
    private final Queue<Told> told = new ConcurrentLinkedQueue<>();
    private @Nullable HomeLanes lanes;
    private int watched;

    PresenceLog(
            KafkaConfig config,
            long node,
            ClientSettings clients,
            Admin admin,
            LongSupplier clockMillis,
            ObjLongConsumer<Counter> counting) {
        this.counting = counting;
        presence = new Presence(this, config.times().presenceMillis(), config.watchedSubjects());
        log = new NodeLog(config, USE, node, clients, admin, clockMillis, this);
    }

    void start(List<KafkaBroker> all, SubjectKey hashing) {
        lanes = new HomeLanes(all, hashing);
        log.start();
    }

    /** Called by a lane. */
    @Override
    public void watched(ByteBuffer subject, boolean now) {
        told.add(new Told(subject, true, now));
    }

    /** Called by a lane. */
    @Override
    public void followed(ByteBuffer subject, boolean now) {
        told.add(new Told(subject, false, now));
    }

    @Override
    public void onRecord(String node, boolean own, byte[] value, NodeLog.Place place) {
        presence.onRecord(node, own, value, place.timeMillis());
    }

    @Override
    public void onSkipped() {
        presence.hello();
    }

    @Override
    public void onLost() {
        presence.sayAll();
    }

    @Override
    public void report(boolean alive, Consumer<byte[]> records) {
        takeTold();
        presence.say(alive, records);
    }

    private void takeTold() {
        for (Told next = told.poll(); next != null; next = told.poll()) {
            if (!next.watch) {
                presence.followed(next.subject, next.now);
            } else if (!presence.watched(next.subject, next.now)) {
                counting.accept(Counter.CLUSTER_WATCHES_LEFT_OUT, 1);
            }
        }
        if (presence.watched() != watched) {
            counting.accept(Counter.CLUSTER_WATCHED_SUBJECTS, presence.watched() - watched);
            watched = presence.watched();
        }
    }

    @Override
    public void onWatchedElsewhere(ByteBuffer subject, boolean now) {
        KafkaBroker lane = laneOf(subject);
        lane.run(() -> lane.onWatchedElsewhere(subject, now));
    }

    @Override
    public void onFollowedElsewhere(ByteBuffer subject, boolean now) {
        KafkaBroker lane = laneOf(subject);
        lane.run(() -> lane.onFollowedElsewhere(subject, now));
    }

    private KafkaBroker laneOf(ByteBuffer subject) {
        return Objects.requireNonNull(lanes).homeOf(subject);
    }

    void close() throws InterruptedException {
        log.close();
    }
}
