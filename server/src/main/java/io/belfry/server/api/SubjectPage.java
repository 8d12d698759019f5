package io.belfry.server.api;

import io.belfry.protocol.Subjects;
import io.belfry.server.workgroup.LaneOperator;
import io.belfry.server.workgroup.Sliced;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page of the subjects of this node. Immutable.
 *
 * @param next cursor of the next page; empty at the end of the list
 */
record SubjectPage(List<ListedSubject> rows, Optional<String> next) {
    private static final int NAMES_PER_TURN = 250;

    /** A subject as its home knows it, with the bytes of its name. */
    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Row(byte[] name, ListedSubject atHome) {
        static Row of(LaneOperator home, int id, byte[] name) {
            return new Row(
                    name,
                    new ListedSubject(
                            new String(name, StandardCharsets.UTF_8),
                            home.epoch(),
                            home.seq(id),
                            home.retainedSeq(id),
                            0));
        }
    }

    /** Returns a page of the subjects that match a pattern, or of all if it is null. */
    static SubjectPage of(List<ApiLane> lanes, byte @Nullable [] pattern, Cursor after, int limit) {
        SlicedScan.Found<Row> found = SlicedScan.page(
                lanes,
                lane -> lane.operator().subjectIds(),
                (lane, id) -> {
                    byte[] name = lane.operator().homed(id);
                    return name != null
                                    && !Subjects.isOfServer(name)
                                    && (pattern == null || Subjects.matches(pattern, name))
                            ? Row.of(lane.operator(), id, name)
                            : null;
                },
                after,
                limit);
        return new SubjectPage(withSubscribers(lanes, found.rows()), found.next());
    }

    /** Returns those of these subjects that this node has. */
    static List<ListedSubject> named(List<ApiLane> lanes, List<byte[]> names) {
        List<Row> rows = onAll(lanes, lane -> new Lookup<Row>(names) {
                    @Override
                    void look(byte[] name, List<Row> found) {
                        int id = lane.operator().find(name);
                        if (id >= 0
                                && lane.operator().homeOf(name)
                                        == lane.inspector().lane()) {
                            found.add(Row.of(lane.operator(), id, name));
                        }
                    }
                })
                .stream()
                .flatMap(List::stream)
                .toList();
        return withSubscribers(lanes, rows);
    }

    /** Adds the subscribers of all lanes. */
    private static List<ListedSubject> withSubscribers(List<ApiLane> lanes, List<Row> rows) {
        if (rows.isEmpty()) {
            return List.of();
        }
        List<byte[]> names = rows.stream().map(Row::name).toList();
        List<List<Integer>> counts = onAll(lanes, lane -> new Lookup<Integer>(names) {
            @Override
            void look(byte[] name, List<Integer> found) {
                int id = lane.operator().find(name);
                found.add(id < 0 ? 0 : lane.operator().subscribers(id));
            }
        });
        List<ListedSubject> listed = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            long sum = 0;
            for (List<Integer> each : counts) {
                sum += each.get(i);
            }
            listed.add(rows.get(i).atHome().withSubscribers(sum));
        }
        return listed;
    }

    /** The work on a lane. */
    private interface LaneWork<T> {
        Sliced.Work<T> on(ApiLane lane);
    }

    private static <T> List<T> onAll(List<ApiLane> lanes, LaneWork<T> work) {
        return Sliced.onAll(lanes.stream().map(ApiLane::inspector).toList(), lane -> work.on(lanes.get(lane.lane())));
    }

    /** Looks for subjects by name on one lane, some in each turn. */
    private abstract static class Lookup<T> implements Sliced.Work<List<T>> {
        private final List<byte[]> names;
        private final List<T> found = new ArrayList<>();
        private int next;

        Lookup(List<byte[]> names) {
            this.names = names;
        }

        abstract void look(byte[] name, List<T> into);

        @Override
        public boolean work() {
            int end = Math.min(next + NAMES_PER_TURN, names.size());
            for (; next < end; next++) {
                look(names.get(next), found);
            }
            return next == names.size();
        }

        @Override
        public List<T> result() {
            return found;
        }
    }
}
