package io.belfry.server.console;

import com.fasterxml.jackson.core.JsonGenerator;
import com.sun.net.httpserver.HttpExchange;
import io.belfry.protocol.Code;
import io.belfry.server.monitor.FigureJson;
import io.belfry.server.monitor.HttpRefusal;
import io.belfry.server.workgroup.LaneCallException;
import io.belfry.server.workgroup.LaneInspector.HistoryRow;
import io.belfry.server.workgroup.LaneInspector.SessionRow;
import io.belfry.server.workgroup.LaneInspector.SubscriptionRow;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the requests of the console's pages and of programs. A change must be a POST, and must not come from a page of
 * another origin. Safe for any thread.
 */
final class ConsoleApi {
    static final String PATH = Console.PATH + "api/";

    private static final Logger LOG = LoggerFactory.getLogger(ConsoleApi.class);
    private static final Set<String> CHANGES = Set.of("login", "logout", "disconnect");
    private static final String COOKIE = "belfry_console";

    /** Maximum number of requests that are answered at the same time. */
    private static final int AT_ONCE = 8;

    private final ConsoleSetup setup;
    private final Logins logins;
    private final SecondStream stream;
    private final SessionCensus sessions;
    private final SubjectCensus subjects;
    private final SettingsJson settings;
    private final BiConsumer<String, String> events;
    private final Semaphore permits = new Semaphore(AT_ONCE);

    ConsoleApi(
            ConsoleSetup setup,
            Logins logins,
            SecondStream stream,
            SessionCensus sessions,
            SubjectCensus subjects,
            BiConsumer<String, String> events) {
        this.setup = setup;
        this.logins = logins;
        this.stream = stream;
        this.sessions = sessions;
        this.subjects = subjects;
        this.settings = new SettingsJson(setup);
        this.events = events;
    }

    void handle(HttpExchange exchange) throws IOException {
        ConsoleRequest request = new ConsoleRequest(exchange);
        String name = request.after(PATH);
        try {
            Optional<ConsoleReply> refusal = refusal(request, name);
            if (refusal.isPresent()) {
                refusal.get().send(exchange);
            } else if (name.equals("stream")) {
                stream.send(exchange, request.number("after", Long.MAX_VALUE));
            } else {
                answerWithPermit(request, name).send(exchange);
            }
        } catch (HttpRefusal refused) {
            ConsoleReply.refusal(refused.code(), refused.reason()).send(exchange);
        }
    }

    private ConsoleReply answerWithPermit(ConsoleRequest request, String name) throws IOException {
        if (!permits.tryAcquire()) {
            return ConsoleReply.refusal(Code.OVERLOADED, Code.OVERLOADED.sentence())
                    .with("Retry-After", "1");
        }
        try {
            return answer(request, name);
        } catch (HttpRefusal refused) {
            return ConsoleReply.refusal(refused.code(), refused.reason());
        } catch (LaneCallException late) {
            return ConsoleReply.refusal(late.code(), late.reason());
        } catch (RuntimeException failure) {
            LOG.error("console: {} failed with an internal error", name, failure);
            return ConsoleReply.refusal(Code.INTERNAL, Code.INTERNAL.sentence());
        } finally {
            permits.release();
        }
    }

    /** Returns the refusal of a request if its method, its origin or its login is not allowed. */
    private Optional<ConsoleReply> refusal(ConsoleRequest request, String name) {
        boolean change = CHANGES.contains(name);
        if (!request.method().equals(change ? "POST" : "GET")) {
            return Optional.of(ConsoleReply.refusal(Code.METHOD_NOT_ALLOWED, Code.METHOD_NOT_ALLOWED.sentence())
                    .with("Allow", change ? "POST" : "GET"));
        }
        if (change && !request.isOwnPost()) {
            return Optional.of(ConsoleReply.refusal(
                    Code.ORIGIN_DENIED, "Send changes as application/json, and not from pages of other origins."));
        }
        if (name.equals("login")) {
            return Optional.empty();
        }
        Optional<Logins.Role> role = role(request);
        if (role.isEmpty()) {
            return Optional.of(
                    ConsoleReply.refusal(Code.UNAUTHORIZED, "Log in with the monitor's username and password."));
        }
        return name.equals("disconnect") && role.get() != Logins.Role.ACT
                ? Optional.of(ConsoleReply.refusal(
                        403, "act-denied", "To make changes, log in with the password of ConsoleActPassword."))
                : Optional.empty();
    }

    private Optional<Logins.Role> role(ConsoleRequest request) {
        return request.cookie(COOKIE)
                .flatMap(logins::find)
                .or(() -> request.basic()
                        .flatMap(login -> logins.check(login.username(), login.password(), request.address())))
                .or(() -> logins.needed() ? Optional.empty() : Optional.of(Logins.Role.LOOK));
    }

    private ConsoleReply answer(ConsoleRequest request, String name) throws IOException {
        return switch (name) {
            case "login" -> login(request);
            case "logout" -> logout(request);
            case "me" -> me(role(request).orElse(Logins.Role.LOOK));
            case "sessions" -> sessions(request);
            case "session" -> session(request);
            case "disconnect" -> disconnect(request);
            case "subjects" -> subjects(request);
            case "settings" -> ConsoleReply.json(200, settings.write());
            case "codes" -> ConsoleReply.json(200, StateJson.codes());
            case "try" -> tryOut(request);
            default -> ConsoleReply.refusal(Code.NOT_FOUND, Code.NOT_FOUND.sentence());
        };
    }

    private ConsoleReply login(ConsoleRequest request) throws IOException {
        if (!logins.mayTry(request.address())) {
            return ConsoleReply.refusal(429, "login-rate", "Wait for a second after a wrong password.")
                    .with("Retry-After", "1");
        }
        Map<String, String> body = request.body();
        Optional<Logins.Role> role =
                logins.check(body.getOrDefault("username", ""), body.getOrDefault("password", ""), request.address());
        if (role.isEmpty()) {
            logins.onWrong(request.address());
            return ConsoleReply.refusal(Code.UNAUTHORIZED, "The name or the password is wrong.");
        }
        return me(role.get())
                .with(
                        "Set-Cookie",
                        COOKIE + "=" + logins.begin(role.get()) + "; Path=" + Console.PATH
                                + "; HttpOnly; SameSite=Strict");
    }

    private ConsoleReply logout(ConsoleRequest request) {
        request.cookie(COOKIE).ifPresent(logins::end);
        return ConsoleReply.empty(204).with("Set-Cookie", COOKIE + "=; Path=" + Console.PATH + "; Max-Age=0");
    }

    private ConsoleReply me(Logins.Role role) {
        return ConsoleReply.json(json -> {
            json.writeStringField("node", setup.monitored().node());
            json.writeStringField("version", setup.monitored().version());
            json.writeStringField("role", FigureJson.text(role));
            json.writeBooleanField("login", logins.needed());
            json.writeBooleanField("changes", logins.allowChanges());
        });
    }

    private ConsoleReply sessions(ConsoleRequest request) {
        int page = (int) request.number("page", SessionCensus.PAGE_MAX);
        SessionCensus.Page found = sessions.page(request.parameter("search"), order(request.parameter("sort")), page);
        return ConsoleReply.json(json -> {
            json.writeNumberField("total", found.total());
            json.writeNumberField("matching", found.matching());
            json.writeBooleanField("complete", found.matching() <= (SessionCensus.PAGE_MAX + 1L) * SessionCensus.PAGE);
            json.writeNumberField("page", page);
            json.writeNumberField("size", SessionCensus.PAGE);
            json.writeArrayFieldStart("sessions");
            for (SessionRow row : found.rows()) {
                json.writeStartObject();
                row(json, row);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private static SessionCensus.Order order(String name) {
        return Arrays.stream(SessionCensus.Order.values())
                .filter(order -> FigureJson.text(order).equals(name.isEmpty() ? "lag" : name))
                .findFirst()
                .orElseThrow(() ->
                        new HttpRefusal(Code.BAD_REQUEST, "sort must be lag, queued, subscriptions or connected"));
    }

    private static void row(JsonGenerator json, SessionRow row) throws IOException {
        json.writeStringField("session", row.session());
        Json.optional(json, "user", Optional.ofNullable(row.user()));
        json.writeStringField("address", row.address());
        json.writeNumberField("lane", row.lane());
        json.writeStringField("format", row.format());
        json.writeStringField("state", row.state());
        json.writeNumberField("subscriptions", row.subscriptions());
        json.writeNumberField("queuedBytes", row.queuedBytes());
        json.writeNumberField("behindMessages", row.behindMessages());
        json.writeNumberField("behindBytes", row.behindBytes());
    }

    private ConsoleReply session(ConsoleRequest request) {
        Optional<SessionCensus.Details> found = sessions.details(request.parameter("name"));
        if (found.isEmpty()) {
            return ConsoleReply.refusal(Code.NOT_FOUND, "There is no session with this name.");
        }
        return ConsoleReply.json(json -> {
            row(json, found.get().row());
            json.writeArrayFieldStart("subjects");
            for (SubscriptionRow each : found.get().subscriptions()) {
                json.writeStartObject();
                json.writeStringField("subject", each.subject());
                json.writeBooleanField("pattern", each.pattern());
                Json.optional(json, "position", Optional.ofNullable(each.position()));
                json.writeNumberField("behind", each.behind());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeBooleanField("more", found.get().more());
        });
    }

    private ConsoleReply disconnect(ConsoleRequest request) throws IOException {
        String name = request.body().getOrDefault("session", "");
        if (!sessions.disconnect(name)) {
            return ConsoleReply.refusal(Code.NOT_FOUND, "There is no session with this name.");
        }
        LOG.info("session {} was disconnected in the console by {}", name, request.address());
        events.accept("disconnected", "session " + name + " was disconnected by an operator");
        return ConsoleReply.json(json -> json.writeBooleanField("disconnected", true));
    }

    private ConsoleReply subjects(ConsoleRequest request) {
        String under = request.parameter("under");
        int page = (int) request.number("page", SubjectCensus.SUBJECTS_MAX);
        SubjectCensus.Children found = subjects.children(under, page);
        return ConsoleReply.json(json -> {
            json.writeStringField("under", under);
            json.writeBooleanField("complete", found.complete());
            json.writeNumberField("total", found.total());
            json.writeNumberField("page", page);
            json.writeNumberField("size", SubjectCensus.PAGE);
            json.writeNumberField("atMillis", found.atMillis());
            json.writeArrayFieldStart("children");
            for (SubjectCensus.Child child : found.page()) {
                json.writeStartObject();
                child(json, child);
                json.writeEndObject();
            }
            json.writeEndArray();
        });
    }

    private static void child(JsonGenerator json, SubjectCensus.Child child) throws IOException {
        json.writeStringField("name", child.name);
        json.writeBooleanField("subject", child.subject);
        json.writeNumberField("below", child.below);
        json.writeNumberField("subscribers", child.subscribers);
        json.writeNumberField("published", child.published);
        json.writeNumberField("in", rounded(child.in));
        json.writeNumberField("out", rounded(child.out));
        json.writeNumberField("bytesOut", Math.round(child.bytesOut));
        if (child.history.isPresent()) {
            HistoryRow history = child.history.get();
            json.writeNumberField("messages", history.messages());
            json.writeNumberField("bytes", history.bytes());
            json.writeNumberField("oldestMillis", history.oldestMillis());
        }
    }

    private static double rounded(double rate) {
        return Math.round(rate * 10) / 10.0;
    }

    private ConsoleReply tryOut(ConsoleRequest request) {
        return ConsoleReply.json(json -> {
            json.writeArrayFieldStart("servers");
            for (String server : Site.servers(request.exchange(), setup.addresses())) {
                json.writeString(server);
            }
            json.writeEndArray();
        });
    }
}
