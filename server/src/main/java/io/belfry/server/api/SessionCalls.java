package io.belfry.server.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.belfry.protocol.Code;
import io.belfry.protocol.Subjects;
import io.belfry.server.monitor.HttpRefusal;
import io.belfry.server.session.Session;
import io.belfry.server.workgroup.LaneInspector.SessionRow;
import io.belfry.server.workgroup.LaneInspector.SubscriptionRow;
import io.belfry.server.workgroup.LaneOperator.Located;
import io.belfry.server.workgroup.Sliced;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The calls about sessions of this node. Any thread, except an event loop: the methods wait for the lanes. */
final class SessionCalls {
    static final int LIMIT = 100;
    static final int LIMIT_MAX = 1000;
    private static final int SUBSCRIPTIONS_SHOWN = 1000;
    private static final int REASON_MAX_CHARS = 100;
    private static final Set<String> STATES = Set.of("ready", "slow", "detached");

    private final List<ApiLane> lanes;
    private final String node;

    SessionCalls(List<ApiLane> lanes, String node) {
        this.lanes = lanes;
        this.node = node;
    }

    /** Writes the members by which an answer says that the call concerned this node only. */
    static void scope(JsonGenerator json, String node) throws IOException {
        json.writeStringField("node", node);
        json.writeStringField("scope", "node");
    }

    /** Returns a page of the sessions of this node that the parameters of a call select. */
    SessionPage page(ApiRequest request, Optional<String> after, int limit) {
        Optional<String> state = request.parameter("state");
        if (state.isPresent() && !STATES.contains(state.get())) {
            throw new HttpRefusal(Code.BAD_REQUEST, "state must be ready, slow or detached");
        }
        return SessionPage.of(
                lanes,
                new SessionPage.Filter(request.parameter("user"), request.parameter("subject"), state),
                Cursor.of(after, lanes.size()),
                limit);
    }

    ApiReply list(ApiRequest request) {
        SessionPage page = page(request, request.parameter("after"), request.number("limit", LIMIT, LIMIT_MAX));
        return ApiReply.object(json -> {
            scope(json, node);
            json.writeArrayFieldStart("sessions");
            for (SessionRow row : page.rows()) {
                json.writeStartObject();
                row(json, row);
                json.writeEndObject();
            }
            json.writeEndArray();
            if (page.next().isPresent()) {
                json.writeStringField("next", page.next().get());
            }
        });
    }

    static void row(JsonGenerator json, SessionRow row) throws IOException {
        json.writeStringField("session", row.session());
        if (row.user() != null) {
            json.writeStringField("user", row.user());
        }
        json.writeStringField("address", row.address());
        json.writeStringField("format", row.format());
        json.writeStringField("state", row.state());
        json.writeNumberField("subscriptions", row.subscriptions());
        json.writeNumberField("queuedBytes", row.queuedBytes());
        json.writeNumberField("behindMessages", row.behindMessages());
        json.writeNumberField("behindBytes", row.behindBytes());
    }

    ApiReply one(ApiRequest request) {
        record Details(SessionRow row, List<SubscriptionRow> subscriptions, boolean more) {}
        Details found = onSession(request.path("session"), (lane, session) -> {
                    List<SubscriptionRow> rows = lane.inspector().subscriptionsOf(session, SUBSCRIPTIONS_SHOWN);
                    return new Details(
                            lane.inspector().row(session),
                            rows,
                            lane.inspector().subscriptions(session) > rows.size());
                })
                .orElseThrow(SessionCalls::noSession);
        return ApiReply.object(json -> {
            scope(json, node);
            row(json, found.row());
            json.writeArrayFieldStart("subjects");
            for (SubscriptionRow each : found.subscriptions()) {
                json.writeStartObject();
                json.writeStringField("subject", each.subject());
                json.writeBooleanField("pattern", each.pattern());
                if (each.position() != null) {
                    json.writeStringField("position", each.position());
                }
                json.writeNumberField("behind", each.behind());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeBooleanField("more", found.more());
        });
    }

    private static HttpRefusal noSession() {
        return new HttpRefusal(Code.NOT_FOUND, "this node has no session with this name");
    }

    /** A function that is called with a session on its loop. */
    private interface Call<T> {
        T on(ApiLane lane, Session session);
    }

    private <T> Optional<T> onSession(String name, Call<T> call) {
        for (ApiLane each : lanes) {
            Optional<T> found = Sliced.on(each.inspector(), lane -> {
                Session session = lane.named(name);
                return session == null ? Optional.<T>empty() : Optional.of(call.on(each, session));
            });
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    /** Calls a function with each session that a call names by {@code user} or {@code session}. */
    private <T> List<T> onTargets(ApiArguments arguments, Call<T> call) {
        Optional<String> user = arguments.text("user");
        Optional<String> session = arguments.text("session");
        if (user.isPresent() == session.isPresent()) {
            throw new HttpRefusal(Code.BAD_REQUEST, "the call needs user or session");
        }
        return user.isPresent()
                ? onUser(user.get(), call)
                : onSession(session.get(), call).map(List::of).orElseThrow(SessionCalls::noSession);
    }

    private <T> List<T> onUser(String user, Call<T> call) {
        List<Located> located = SessionPage.located(lanes, user);
        List<T> results = new ArrayList<>();
        for (ApiLane each : lanes) {
            List<Located> here = located.stream()
                    .filter(one -> one.lane() == each.inspector().lane())
                    .toList();
            if (!here.isEmpty()) {
                results.addAll(Sliced.sliced(each.inspector(), new Visits<>(each, here, user, call)).results);
            }
        }
        return results;
    }

    /** Calls a function with the sessions of a user on one lane, a few in each turn. */
    private static final class Visits<T> implements Sliced.Work<Visits<T>> {
        private static final int PER_TURN = 50;
        private static final long SLICE_NANOS = 1_000_000;

        private final ApiLane lane;
        private final List<Located> located;
        private final String user;
        private final Call<T> call;
        private final List<T> results = new ArrayList<>();
        private int next;

        Visits(ApiLane lane, List<Located> located, String user, Call<T> call) {
            this.lane = lane;
            this.located = located;
            this.user = user;
            this.call = call;
        }

        @Override
        public boolean work() {
            int end = Math.min(located.size(), next + PER_TURN);
            long endNanos = lane.operator().clockNanos() + SLICE_NANOS;
            for (; next < end && lane.operator().clockNanos() - endNanos < 0; next++) {
                Session session = lane.operator().ofUser(located.get(next).session(), user);
                if (session != null) {
                    results.add(call.on(lane, session));
                }
            }
            return next == located.size();
        }

        @Override
        public Visits<T> result() {
            return this;
        }
    }

    ApiReply disconnect(ApiRequest request) throws IOException {
        ApiArguments arguments = request.arguments();
        String reason = arguments.text("reason").orElse("disconnected by the application");
        if (reason.length() > REASON_MAX_CHARS) {
            throw new HttpRefusal(Code.BAD_REQUEST, "reason has more than " + REASON_MAX_CHARS + " characters");
        }
        Code code = arguments.flag("reconnect") ? Code.DRAIN : Code.DISCONNECTED;
        @Nullable String except = arguments.text("except").orElse(null);
        long closed = onTargets(arguments, (lane, session) -> {
                    String name = lane.inspector().nameOf(session);
                    if (name.equals(except)) {
                        return "";
                    }
                    lane.operator().disconnect(session, code, reason);
                    return name;
                })
                .stream()
                .filter(name -> !name.isEmpty())
                .count();
        Audit.log(
                request,
                "disconnect",
                target(arguments) + " sessions=" + closed + " code=" + code.text() + " reason=\"" + reason + "\"");
        return ApiReply.object(json -> {
            scope(json, node);
            json.writeNumberField("disconnected", closed);
        });
    }

    private static String target(ApiArguments arguments) {
        return arguments
                .text("user")
                .map(user -> "user=\"" + user + "\"")
                .orElseGet(() -> "session=" + arguments.text("session").orElse(""));
    }

    /** The outcome of a call that subscribes one session. */
    private record Begun(
            int subscribed, int refused, @Nullable Code code) {
        static Begun on(ApiLane lane, Session session, List<byte[]> subjects) {
            int subscribed = 0;
            int refused = 0;
            Code code = null;
            for (byte[] subject : subjects) {
                Code refusal = lane.operator().subscribe(session, subject);
                if (refusal == null) {
                    subscribed++;
                } else if (refusal != Code.ALREADY_SUBSCRIBED) {
                    refused++;
                    code = refusal;
                }
            }
            return new Begun(subscribed, refused, code);
        }
    }

    ApiReply subscribe(ApiRequest request) throws IOException {
        ApiArguments arguments = request.arguments();
        List<byte[]> subjects = subjects(arguments, true);
        for (byte[] subject : subjects) {
            if (Subjects.isOfServer(subject)) {
                throw new HttpRefusal(
                        Code.BAD_SUBJECT, "the application cannot subscribe clients to subjects of the server");
            }
        }
        List<Begun> begun = onTargets(arguments, (lane, session) -> Begun.on(lane, session, subjects));
        long subscribed = begun.stream().mapToLong(Begun::subscribed).sum();
        long refused = begun.stream().mapToLong(Begun::refused).sum();
        Optional<Code> code =
                begun.stream().map(Begun::code).filter(Objects::nonNull).findFirst();
        Audit.log(
                request,
                "subscribe",
                target(arguments) + " subjects=" + arguments.texts("subjects") + " subscribed=" + subscribed
                        + " refused=" + refused
                        + code.map(each -> " code=" + each.text()).orElse(""));
        return ApiReply.object(json -> {
            scope(json, node);
            json.writeNumberField("subscribed", subscribed);
            json.writeNumberField("refused", refused);
            if (code.isPresent()) {
                json.writeStringField("code", code.get().text());
            }
        });
    }

    ApiReply unsubscribe(ApiRequest request) throws IOException {
        ApiArguments arguments = request.arguments();
        List<byte[]> subjects = subjects(arguments, true);
        int ended = onTargets(arguments, (lane, session) -> (int) subjects.stream()
                        .filter(subject -> lane.operator().unsubscribe(session, subject))
                        .count())
                .stream()
                .filter(Objects::nonNull)
                .mapToInt(Integer::intValue)
                .sum();
        Audit.log(
                request,
                "unsubscribe",
                target(arguments) + " subjects=" + arguments.texts("subjects") + " ended=" + ended);
        return ApiReply.object(json -> {
            scope(json, node);
            json.writeNumberField("unsubscribed", ended);
        });
    }

    /** Returns the subjects of a body, which are valid; those of patterns are refused unless {@code patterns} is true. */
    static List<byte[]> subjects(ApiArguments arguments, boolean patterns) {
        List<byte[]> subjects = arguments.texts("subjects").stream()
                .distinct()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList();
        if (subjects.isEmpty()) {
            throw new HttpRefusal(Code.BAD_REQUEST, "subjects must be a list of at least one subject");
        }
        for (byte[] subject : subjects) {
            String problem = patterns
                    ? Subjects.subscriptionProblem(subject, true)
                    : Subjects.problem(subject, 0, subject.length, false);
            if (problem != null) {
                throw new HttpRefusal(Subjects.code(problem), problem);
            }
        }
        return subjects;
    }
}
