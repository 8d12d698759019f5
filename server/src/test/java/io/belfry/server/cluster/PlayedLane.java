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

/** The one lane of a test that plays it: its loop is the test's thread, and a subject's id its place among the names. */
final class PlayedLane {
    /** Tasks run within the call that wakes it. */
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

    private PlayedLane() {}

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

    /** The subject's id, given to it now if it has none. */
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

    /** Of who only reads. */
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
            // Nothing is forgotten here.
        }
    }
}
