package io.belfry.server.cluster;

import io.belfry.protocol.Code;
import io.belfry.server.broker.Backbone;
import io.belfry.server.broker.Broker;
import io.belfry.server.broker.Publication;
import io.belfry.server.counter.LoopCounters;
import io.belfry.server.subject.SubjectKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import java.util.function.ToIntFunction;

/**
 * Builds the single lane of a test: its loop is the test's thread, and a subject's id is its index in the list of
 * names.
 */
final class PlayedClusterLane {
    /** A loop that runs a task within the call that submits it. */
    private static final class PlayedLoop implements Backbone.Loop {
        private final Queue<Runnable> tasks = new ArrayDeque<>();

        @Override
        public void run(Runnable task) {
            leave(task, () -> true);
        }

        @Override
        public void leave(Runnable task, BooleanSupplier urgent) {
            tasks.add(task);
            if (urgent.getAsBoolean()) {
                for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                    next.run();
                }
            }
        }
    }

    private PlayedClusterLane() {}

    static Backbone.Lane of(
            List<String> names, ToIntFunction<SubjectKey> known, LoopCounters counters, Broker.Events events) {
        return new Backbone.Lane(
                0,
                1,
                new PlayedLoop(),
                known,
                subject -> utf8(names.get(subject)),
                new SubjectKey(1),
                counters,
                events);
    }

    /** Returns the subject's id, and assigns one if it has none. */
    static int known(List<String> names, SubjectKey key, KafkaBroker broker) {
        String name = new String(key.copy(), StandardCharsets.UTF_8);
        if (!names.contains(name)) {
            names.add(name);
            broker.onCreated(names.indexOf(name));
        }
        return names.indexOf(name);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Events of a test that only reads. */
    interface Reading extends Broker.Events {
        @Override
        default void onAccepted(Publication publication, long seq) {
            throw new AssertionError("nothing is published");
        }

        @Override
        default void onRefused(int subject, Publication publication, Code code, String reason) {
            throw new AssertionError("nothing is published");
        }

        @Override
        default void onTakenBack(int subject) {
            // These tests forget no subjects.
        }
    }
}
