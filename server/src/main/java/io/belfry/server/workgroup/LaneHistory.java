package io.belfry.server.workgroup;

import io.belfry.server.broker.Backbone;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.DurableBroker;
import io.belfry.server.broker.LocalBroker;
import io.belfry.server.config.HistoryConfig;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.handoff.LaneOptions;
import io.belfry.server.history.DurableHistory;
import io.belfry.server.history.History;
import io.belfry.server.history.HistoryStorage;
import io.belfry.server.history.Holes;
import io.belfry.server.history.KnownSubjects;
import io.belfry.server.history.Retained;
import io.belfry.server.home.OptionBounds;
import io.belfry.server.subject.LaneSubjects;
import io.belfry.server.subject.SubjectKey;
import java.util.function.Consumer;

/** Creates a lane's share of the configured history, and the broker on top of it. Immutable. */
final class LaneHistory {
    private static final int SEGMENT_BYTES_MAX = 4 << 20;
    private static final int SEGMENT_BYTES_MIN = 64 << 10;
    private static final int SEGMENT_SLACK = 1024;

    /** Maximum file size on disk: large enough to open files rarely, small enough to hold two files in memory. */
    private static final int FILE_BYTES_MAX = 8 << 20;

    private static final int SEGMENTS_OF_BUDGET = 16;

    private final LaneSetup setup;
    private final HistoryConfig config;
    private final int lanes;
    private final Retained retained;
    private final LaneOptions options;
    private final OptionBounds bounds;

    LaneHistory(LaneSetup setup, int lanes, LaneOptions options) {
        this.setup = setup;
        this.lanes = lanes;
        this.options = options;
        config = setup.config().history();
        bounds = new OptionBounds(options, !config.keepsNothing());
        retained = new Retained(setup.facts().epoch(), setup.config().limits().retainedBytes() / lanes);
    }

    Broker inMemory(LoopCounters counters, Broker.Events events) {
        long epoch = setup.facts().epoch();
        long budget = config.cacheMemoryBytes() / lanes;
        History history = new History(epoch, bounds, segment(budget, SEGMENT_BYTES_MAX), budget, null);
        return new LocalBroker(epoch, history, retained, counters, events);
    }

    /** Creates the broker of a history on disk and restores what is stored. */
    Broker onDisk(
            HistoryStorage storage,
            int lane,
            Consumer<Runnable> loop,
            LaneSubjects subjects,
            LoopCounters counters,
            Broker.Events events) {
        long epoch = setup.facts().epoch();
        long budget = config.diskBytes() / lanes;
        DurableHistory history = new DurableHistory(
                epoch,
                bounds,
                new DurableHistory.Sizes(
                        segment(budget, FILE_BYTES_MAX),
                        budget,
                        Math.ceilDiv(config.messageIdsMax(), lanes),
                        config.sync() == HistoryConfig.Sync.ALWAYS),
                retained,
                storage.stored(lane));
        DurableBroker broker = new DurableBroker(epoch, history, retained, storage.open(lane, loop), counters, events);
        broker.replay(
                new KnownSubjects(subjects.table(), new SubjectKey(setup.seed())),
                setup.clock().millis());
        subjects.endRestoring();
        options.restart();
        return broker;
    }

    /** Creates the broker of a cluster, with the memory that caches the shared log. */
    Broker inCluster(
            Backbone backbone,
            int lane,
            Backbone.Loop loop,
            LaneSubjects subjects,
            LoopCounters counters,
            Broker.Events events) {
        long budget = config.cacheMemoryBytes() / lanes;
        Holes holes = new Holes();
        History history = new History(setup.facts().epoch(), bounds, segment(budget, SEGMENT_BYTES_MAX), budget, holes);
        Backbone.Lane place = new Backbone.Lane(
                lane,
                lanes,
                loop,
                subjects::findOrAdd,
                subject -> subjects.table().key(subject),
                new SubjectKey(setup.seed()),
                counters,
                events);
        return backbone.broker(place, new Backbone.Cache(history, holes, retained));
    }

    private int segment(long budget, int most) {
        int record = setup.config().messages().maxMessageSize() + SEGMENT_SLACK;
        return Math.max(Math.clamp(budget / SEGMENTS_OF_BUDGET, SEGMENT_BYTES_MIN, most), record);
    }
}
