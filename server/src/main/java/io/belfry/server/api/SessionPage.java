package io.belfry.server.api;

import io.belfry.server.session.Session;
import io.belfry.server.workgroup.LaneInspector.SessionRow;
import io.belfry.server.workgroup.LaneOperator;
import io.belfry.server.workgroup.Sliced;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page of the sessions of this node. Immutable.
 *
 * @param next cursor of the next page; empty at the end of the list
 */
record SessionPage(List<SessionRow> rows, Optional<String> next) {
    /**
     * Which sessions to list. Immutable.
     *
     * @param state {@code ready}, {@code slow} or {@code detached}
     */
    record Filter(Optional<String> user, Optional<String> subject, Optional<String> state) {
        private boolean matches(ApiLane lane, Session session, byte @Nullable [] subjectBytes) {
            return !LaneOperator.isOfServer(session)
                    && (user.isEmpty() || user.get().equals(lane.inspector().userOf(session)))
                    && (subjectBytes == null || lane.operator().subscribes(session, subjectBytes))
                    && (state.isEmpty() || state.get().equals(stateOf(session)));
        }
    }

    static String stateOf(Session session) {
        if (session.isDetached()) {
            return "detached";
        }
        return session.isReady() && !session.isCatchingUp() ? "ready" : "slow";
    }

    static SessionPage of(List<ApiLane> lanes, Filter filter, Cursor after, int limit) {
        return filter.user().isPresent()
                ? ofUser(lanes, filter, filter.user().get(), after, limit)
                : ofAll(lanes, filter, after, limit);
    }

    private static SessionPage ofUser(List<ApiLane> lanes, Filter filter, String user, Cursor after, int limit) {
        record Found(Cursor at, SessionRow row) {}
        List<Found> found = new ArrayList<>();
        for (ApiLane each : lanes) {
            List<LaneOperator.Located> here = located(lanes, user).stream()
                    .filter(located -> located.lane() == each.inspector().lane())
                    .toList();
            if (!here.isEmpty()) {
                found.addAll(Sliced.on(
                        each.inspector(),
                        lane -> here.stream()
                                .map(located -> each.operator().ofUser(located.session(), user))
                                .filter(Objects::nonNull)
                                .filter(session -> filter.matches(each, session, bytes(filter.subject())))
                                .map(session -> new Found(new Cursor(lane.lane(), session.slot()), lane.row(session)))
                                .toList()));
            }
        }
        List<Found> page = found.stream()
                .filter(each -> after.isBefore(each.at().lane(), each.at().number()))
                .sorted(Comparator.comparingInt((Found each) -> each.at().lane())
                        .thenComparingInt(each -> each.at().number()))
                .limit(limit + 1L)
                .toList();
        boolean more = page.size() > limit;
        List<Found> shown = more ? page.subList(0, limit) : page;
        return new SessionPage(
                shown.stream().map(Found::row).toList(),
                more ? Optional.of(shown.getLast().at().toString()) : Optional.empty());
    }

    /** Returns the sessions of a user on all lanes, from the lane of the user. */
    static List<LaneOperator.Located> located(List<ApiLane> lanes, String user) {
        int owner = Sliced.on(
                lanes.getFirst().inspector(),
                lane -> lanes.getFirst().operator().laneOf(user));
        return Sliced.on(
                lanes.get(owner).inspector(),
                lane -> lanes.get(owner).operator().sessionsOf(user));
    }

    private static byte @Nullable [] bytes(Optional<String> text) {
        return text.map(each -> each.getBytes(StandardCharsets.UTF_8)).orElse(null);
    }

    private static SessionPage ofAll(List<ApiLane> lanes, Filter filter, Cursor after, int limit) {
        byte[] subject = bytes(filter.subject());
        SlicedScan.Found<SessionRow> found = SlicedScan.page(
                lanes,
                lane -> lane.inspector().slots(),
                (lane, slot) -> {
                    Session session = lane.inspector().session(slot);
                    return session != null && filter.matches(lane, session, subject)
                            ? lane.inspector().row(session)
                            : null;
                },
                after,
                limit);
        return new SessionPage(found.rows(), found.next());
    }
}
