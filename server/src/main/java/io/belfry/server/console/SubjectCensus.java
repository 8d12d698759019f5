package io.belfry.server.console;

import io.belfry.protocol.MessageView;
import io.belfry.server.workgroup.LaneInspector;
import io.belfry.server.workgroup.LaneInspector.HistoryRow;
import io.belfry.server.workgroup.LaneInspector.SubjectRow;
import io.belfry.server.workgroup.Sliced;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Computes the tree of the subjects of all lanes, with rates. A request counts all subjects if the latest count is older
 * than {@link #FRESH_MILLIS}. Any thread, except an event loop.
 */
final class SubjectCensus {
    /** Number of children on a page. */
    static final int PAGE = 200;

    /** Maximum number of subjects that are counted. */
    static final int SUBJECTS_MAX = 100_000;

    private static final long FRESH_MILLIS = 4000;
    private static final int IDS_PER_TURN = 200;

    private final List<LaneInspector> lanes;
    private final LongSupplier clock;
    private Census latest = new Census(0, true, new TreeMap<>());

    SubjectCensus(List<LaneInspector> lanes, LongSupplier clock) {
        this.lanes = List.copyOf(lanes);
        this.clock = clock;
    }

    /** A subject, with its rates since the previous census. */
    private record Subject(long seq, int subscribers, int latestBytes, double in) {
        double out() {
            return in * subscribers;
        }

        double bytesOut() {
            return out() * latestBytes;
        }
    }

    private record Census(long atMillis, boolean complete, NavigableMap<String, Subject> subjects) {}

    /** A child in the tree, with the sums of its branch. */
    static final class Child {
        final String name;
        boolean subject;
        long below;
        long subscribers;
        long published;
        double in;
        double out;
        double bytesOut;
        Optional<HistoryRow> history = Optional.empty();

        Child(String name) {
            this.name = name;
        }

        private void add(Subject counted) {
            subscribers += counted.subscribers();
            published += counted.seq();
            in += counted.in();
            out += counted.out();
            bytesOut += counted.bytesOut();
        }
    }

    /** A page of children. */
    record Children(long atMillis, boolean complete, int total, List<Child> page) {}

    /** Returns the children of a subject, or of the root if {@code under} is empty; most bytes out first. */
    Children children(String under, int page) {
        Census census = fresh();
        String prefix = under + "/";
        Map<String, Child> children = new HashMap<>();
        for (Map.Entry<String, Subject> each : census.subjects.tailMap(prefix).entrySet()) {
            if (!each.getKey().startsWith(prefix)) {
                break;
            }
            int end = each.getKey().indexOf('/', prefix.length());
            String name = each.getKey()
                    .substring(prefix.length(), end < 0 ? each.getKey().length() : end);
            Child child = children.computeIfAbsent(name, Child::new);
            child.add(each.getValue());
            if (end < 0) {
                child.subject = true;
            } else {
                child.below++;
            }
        }
        List<Child> shown = children.values().stream()
                .sorted((a, b) ->
                        a.bytesOut != b.bytesOut ? Double.compare(b.bytesOut, a.bytesOut) : a.name.compareTo(b.name))
                .skip((long) page * PAGE)
                .limit(PAGE)
                .toList();
        for (Child child : shown) {
            if (child.subject) {
                child.history = history(prefix + child.name);
            }
        }
        return new Children(census.atMillis(), census.complete(), children.size(), shown);
    }

    private Optional<HistoryRow> history(String subject) {
        return lanes.stream()
                .flatMap(lane -> Sliced.on(lane, home -> home.history(subject, new MessageView())).stream())
                .findFirst();
    }

    /** Releases the latest census if it is older than ten times {@link #FRESH_MILLIS}. */
    synchronized void rest(long nowMillis) {
        if (nowMillis - latest.atMillis() > 10 * FRESH_MILLIS
                && !latest.subjects().isEmpty()) {
            latest = new Census(0, true, new TreeMap<>());
        }
    }

    private synchronized Census fresh() {
        long now = clock.getAsLong();
        if (now - latest.atMillis() >= FRESH_MILLIS) {
            latest = count(now);
        }
        return latest;
    }

    private Census count(long now) {
        List<Scan> scans = Sliced.onAll(lanes, lane -> new Scan(lane, SUBJECTS_MAX / lanes.size()));
        double seconds = (now - latest.atMillis()) / 1000.0;
        NavigableMap<String, Subject> subjects = new TreeMap<>();
        Map<String, Integer> elsewhere = new HashMap<>();
        scans.forEach(scan -> scan.rows.stream()
                .filter(row -> !row.home())
                .forEach(row -> elsewhere.merge(row.subject(), row.subscribers(), Integer::sum)));
        scans.forEach(scan -> scan.rows.stream().filter(SubjectRow::home).forEach(row -> {
            Subject before = latest.subjects().get(row.subject());
            subjects.put(
                    row.subject(),
                    new Subject(
                            row.seq(),
                            row.subscribers() + elsewhere.getOrDefault(row.subject(), 0),
                            row.latestBytes(),
                            before == null ? 0 : Math.max(0, row.seq() - before.seq()) / seconds));
        }));
        return new Census(now, scans.stream().allMatch(scan -> scan.complete), subjects);
    }

    /** Reads the subjects of one lane. */
    private static final class Scan implements Sliced.Work<Scan> {
        private final LaneInspector lane;
        private final int most;
        private final MessageView view = new MessageView();
        private final List<SubjectRow> rows = new ArrayList<>();
        private int id;
        private boolean complete;

        Scan(LaneInspector lane, int most) {
            this.lane = lane;
            this.most = most;
        }

        @Override
        public boolean work() {
            int end = Math.min(lane.subjectIds(), id + IDS_PER_TURN);
            for (; id < end && rows.size() < most; id++) {
                lane.subject(id, view).ifPresent(rows::add);
            }
            complete = id >= lane.subjectIds();
            return complete || rows.size() >= most;
        }

        @Override
        public Scan result() {
            return this;
        }
    }
}
