package io.belfry.microbench;

import io.belfry.protocol.WireFormat;
import io.belfry.server.config.ConfigLoader;
import io.belfry.server.config.ServerConfig;
import io.belfry.server.counter.Counters;
import io.belfry.server.delivery.NodeFacts;
import io.belfry.server.delivery.NodeIdentity;
import io.belfry.server.entitlement.Entitlement;
import io.belfry.server.entitlement.OpenEntitlement;
import io.belfry.server.entitlement.Principal;
import io.belfry.server.session.Outbound;
import io.belfry.server.session.Session;
import io.belfry.server.turn.Clock;
import io.belfry.server.turn.Loop;
import io.belfry.server.workgroup.Lane;
import io.belfry.server.workgroup.LaneSetup;
import io.belfry.server.workgroup.Workgroups;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The only lane of a server without sockets and threads: the caller opens sessions and runs the tasks of the lane's loop. Delays
 * are ignored. Single-threaded.
 */
final class SocketlessLane {
    private static final long EPOCH = 1;

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<Runnable> periodic = new ArrayList<>();
    private final Counters counters = new Counters(1);
    private final Lane lane;

    /** Creates the lane of a server with one thread and these settings, each {@code Key=value}. */
    SocketlessLane(String... settings) {
        List<String> all = new ArrayList<>(List.of("Workgroups=1", "IoThreads=1"));
        all.addAll(List.of(settings));
        ServerConfig config = ConfigLoader.load(Optional.empty(), Map.of(), all);
        NodeFacts facts = new NodeFacts(new NodeIdentity(1), EPOCH, 65_536);
        LaneSetup setup = new LaneSetup(config, new OpenEntitlement(), facts, counters, Clock.SYSTEM, 7);
        lane = new Workgroups(config.workgroups(), i -> new ManualTurns(), setup)
                .lanes()
                .getFirst();
    }

    static long epoch() {
        return EPOCH;
    }

    Lane lane() {
        return lane;
    }

    Counters counters() {
        return counters;
    }

    /** Opens a session without credentials. */
    Session open(Outbound outbound, WireFormat format) {
        Principal[] admitted = new Principal[1];
        lane.admit(
                new Entitlement.Credentials(null, true),
                answer -> admitted[0] = ((Entitlement.Answer.Accepted) answer).principal());
        return lane.open(outbound, format, admitted[0]);
    }

    /** Removes the next task and returns it, or returns null. */
    @Nullable
    Runnable nextTask() {
        return tasks.poll();
    }

    /** Runs the periodic tasks once, without the turn's end. */
    void tick() {
        periodic.forEach(Runnable::run);
    }

    /** Runs tasks until none is left. */
    void turn() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private final class ManualTurns implements Loop {
        @Override
        public boolean inLoop() {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void nextTurn(Runnable task) {
            tasks.add(task);
        }

        @Override
        public void after(long nanos, Runnable task) {
            tasks.add(task);
        }

        @Override
        public void every(long millis, Runnable task) {
            periodic.add(task);
        }
    }
}
