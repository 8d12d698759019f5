package io.belfry.server.console;

import io.belfry.server.session.Session;
import io.belfry.server.workgroup.LaneInspector;
import io.belfry.server.workgroup.LaneInspector.SessionRow;
import io.belfry.server.workgroup.LaneInspector.SubscriptionRow;
import io.belfry.server.workgroup.Sliced;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;

/** Lists the sessions of all lanes in pages. Any thread, except an event loop. */
final class SessionCensus {
    static final int PAGE = 100;

    /** Highest number of a page. A search can find the sessions beyond it. */
    static final int PAGE_MAX = 99;

    private static final int SUBSCRIPTIONS_SHOWN = 1000;
    private static final int SLOTS_PER_TURN = 500;

    private final List<LaneInspector> lanes;

    SessionCensus(List<LaneInspector> lanes) {
        this.lanes = List.copyOf(lanes);
    }

    /** The orders of the list, each with the largest values first. */
    enum Order {
        LAG,
        QUEUED,
        SUBSCRIPTIONS,
        CONNECTED
    }

    /** A page of sessions. */
    record Page(long total, long matching, List<SessionRow> rows) {}

    /** A session with its subscriptions. */
    record Details(SessionRow row, List<SubscriptionRow> subscriptions, boolean more) {}

    /** A matching session: its lane, its slot, and the value by which the list is sorted. */
    private record Found(int lane, int slot, long key) {}

    private static final Comparator<Found> BY_KEY = Comparator.comparingLong(Found::key);

    Page page(String search, Order order, int page) {
        int most = (page + 1) * PAGE;
        List<Scan> scans = Sliced.onAll(lanes, lane -> new Scan(lane, search, order, most));
        List<Found> shown = scans.stream()
                .flatMap(scan -> scan.best.stream())
                .sorted(BY_KEY.reversed().thenComparingInt(Found::lane).thenComparingInt(Found::slot))
                .skip((long) page * PAGE)
                .limit(PAGE)
                .toList();
        return new Page(
                scans.stream().mapToLong(scan -> scan.total).sum(),
                scans.stream().mapToLong(scan -> scan.matching).sum(),
                rows(shown));
    }

    private List<SessionRow> rows(List<Found> shown) {
        List<List<SessionRow>> ofLanes = new ArrayList<>();
        for (int i = 0; i < lanes.size(); i++) {
            int index = i;
            List<Found> here =
                    shown.stream().filter(found -> found.lane() == index).toList();
            ofLanes.add(
                    here.isEmpty()
                            ? List.of()
                            : Sliced.on(
                                    lanes.get(i),
                                    lane -> here.stream()
                                            .map(found -> lane.session(found.slot()))
                                            .filter(Objects::nonNull)
                                            .map(lane::row)
                                            .toList()));
        }
        // A session that has ended since is missing; the next session of the same lane then takes its place.
        int[] next = new int[lanes.size()];
        List<SessionRow> rows = new ArrayList<>();
        for (Found found : shown) {
            if (next[found.lane()] < ofLanes.get(found.lane()).size()) {
                rows.add(ofLanes.get(found.lane()).get(next[found.lane()]++));
            }
        }
        return rows;
    }

    Optional<Details> details(String name) {
        return onOwner(name, (lane, session) -> {
            List<SubscriptionRow> subscriptions = lane.subscriptionsOf(session, SUBSCRIPTIONS_SHOWN);
            return new Details(lane.row(session), subscriptions, lane.subscriptions(session) > subscriptions.size());
        });
    }

    /** Disconnects a session; returns false if no session has this name. */
    boolean disconnect(String name) {
        return onOwner(name, (lane, session) -> {
                    lane.disconnect(session);
                    return true;
                })
                .isPresent();
    }

    /** A function that is called with a session on its loop. */
    private interface Call<T> {
        T on(LaneInspector lane, Session session);
    }

    private <T> Optional<T> onOwner(String name, Call<T> call) {
        for (LaneInspector lane : lanes) {
            Optional<T> found = Sliced.on(
                    lane, owner -> Optional.ofNullable(owner.named(name)).map(session -> call.on(owner, session)));
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Finds the first sessions of one lane. */
    private static final class Scan implements Sliced.Work<Scan> {
        private final LaneInspector lane;
        private final String search;
        private final Order order;
        private final int most;
        private final PriorityQueue<Found> best = new PriorityQueue<>(BY_KEY);
        private int slot;
        private long total;
        private long matching;

        Scan(LaneInspector lane, String search, Order order, int most) {
            this.lane = lane;
            this.search = search;
            this.order = order;
            this.most = most;
        }

        @Override
        public boolean work() {
            int end = Math.min(lane.slots(), slot + SLOTS_PER_TURN);
            for (; slot < end; slot++) {
                Session session = lane.session(slot);
                if (session != null) {
                    total++;
                    if (matches(session)) {
                        matching++;
                        add(key(session));
                    }
                }
            }
            return slot >= lane.slots();
        }

        private boolean matches(Session session) {
            return search.isEmpty()
                    || lane.addressOf(session).contains(search)
                    || lane.nameOf(session).contains(search)
                    || isOfUser(session);
        }

        private boolean isOfUser(Session session) {
            String user = lane.userOf(session);
            return user != null && user.contains(search);
        }

        private long key(Session session) {
            return switch (order) {
                case LAG -> lane.behindBytes(session);
                case QUEUED -> session.queuedBytes();
                case SUBSCRIPTIONS -> lane.subscriptions(session);
                case CONNECTED -> session.generation();
            };
        }

        private void add(long key) {
            if (best.size() == most) {
                if (best.element().key() >= key) {
                    return;
                }
                best.remove();
            }
            best.add(new Found(lane.lane(), slot, key));
        }

        @Override
        public Scan result() {
            return this;
        }
    }
}
