package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.regex.Pattern;

/** Users that join and leave a room with presence without an end, and followers that do not read. Pure. */
final class PresenceFloods {
    private static final double STEPS_PER_SECOND = 50;

    /** Pairs of subscribe and unsubscribe that one session sends in each step. */
    private static final int TOGGLES_PER_STEP = 10;

    private static final int MEMBERS_MAX = 200;
    private static final int UNREAD_FOLLOWERS = 20;
    private static final int NARROW_BYTES = 4096;

    /** A join, and a leave if the attack lasts longer than the session is counted after its end. */
    private static final int TOGGLER_EVENTS_MAX = 4;

    private static final Pattern TOGGLER_EVENT =
            Pattern.compile("(joined|changed|left)\\\\\",\\\\\"user\\\\\":\\\\\"toggler");

    private PresenceFloods() {}

    static void run(AttackContext context) throws IOException {
        EffectiveSettings.Presence presence =
                Objects.requireNonNull(context.settings().presence(), "the attack needs users and a room");
        String followed = "/$presence" + presence.room();
        refuseForgery(context, followed);
        try (ConnectionGroup unread = new ConnectionGroup();
                AttackConnection follower =
                        session(context, presence, context.target().open(), "follower");
                AttackConnection toggler =
                        session(context, presence, context.target().open(), "toggler")) {
            follower.sendCommand(subscribe(followed));
            for (int i = 0; i < UNREAD_FOLLOWERS; i++) {
                AttackConnection narrow = unread.require(
                        () -> session(context, presence, context.target().openNarrow(NARROW_BYTES), "unread"));
                narrow.sendCommand(subscribe(followed));
            }
            long events = flood(context, presence, follower, toggler);
            if (presence.leaveMillis() > 0 && events > TOGGLER_EVENTS_MAX) {
                context.fault("a session that subscribes and unsubscribes in a loop caused " + events + " messages");
            }
            if (follower.poll().isEnded()) {
                context.fault("a follower that reads was disconnected");
            }
        }
        awaitEmpty(context, presence);
    }

    /** Lets new users join, keeps the latest of them, and reads as the follower; returns the messages about the toggling session. */
    private static long flood(
            AttackContext context,
            EffectiveSettings.Presence presence,
            AttackConnection follower,
            AttackConnection toggler)
            throws IOException {
        byte[] toggles = AttackFrames.repeated(
                AttackFrames.joined(
                        AttackFrames.text(subscribe(presence.room())),
                        AttackFrames.text("{\"op\":\"unsubscribe\",\"subject\":\"" + presence.room() + "\"}")),
                TOGGLES_PER_STEP);
        ArrayDeque<AttackConnection> members = new ArrayDeque<>();
        AttackRate rate = context.rate(STEPS_PER_SECOND);
        long events = 0;
        try {
            while (rate.next()) {
                toggler.offer(toggles);
                toggler.poll().forget();
                AttackConnection member =
                        session(context, presence, context.target().open(), "user" + rate.count());
                member.sendCommand(subscribe(presence.room()));
                members.add(member);
                if (members.size() > MEMBERS_MAX) {
                    members.remove().reset();
                }
                events +=
                        TOGGLER_EVENT.matcher(follower.poll().text()).results().count();
                follower.forget();
            }
        } finally {
            members.forEach(AttackConnection::close);
        }
        context.note(rate.count() + " users joined, " + 2 * TOGGLES_PER_STEP * rate.count()
                + " subscriptions and ends of one session caused "
                + events + " messages");
        return events;
    }

    private static String subscribe(String subject) {
        return "{\"op\":\"subscribe\",\"subject\":\"" + subject + "\"}";
    }

    private static AttackConnection session(
            AttackContext context, EffectiveSettings.Presence presence, AttackConnection connection, String user)
            throws IOException {
        return context.upgradedWith(connection, presence.users().token(user));
    }

    /** Publishes to a presence subject, and follows that of a subject of the server; both must be refused. */
    private static void refuseForgery(AttackContext context, String followed) throws IOException {
        try (AttackConnection session = context.session()) {
            session.sendCommand("{\"op\":\"publish\",\"id\":1,\"subject\":\"" + followed
                    + "\",\"data\":\"{\\\"event\\\":\\\"left\\\",\\\"user\\\":\\\"toggler\\\"}\"}");
            session.sendCommand("{\"op\":\"subscribe\",\"id\":2,\"subject\":\"/$presence/$events\"}");
            session.await(
                    context.timeout(), text -> text.contains("\"id\":2") || text.contains("\"op\":\"subscribed\""));
            if (session.text().contains("\"op\":\"published\"")) {
                context.fault("a client published to a presence subject");
            }
            if (session.text().contains("\"op\":\"subscribed\"")) {
                context.fault("a client follows the members of a subject of the server");
            }
        }
    }

    /** Waits until all members have left, as far as the server API shows it. */
    private static void awaitEmpty(AttackContext context, EffectiveSettings.Presence presence) throws IOException {
        if (!context.settings().hasApi()) {
            return;
        }
        AttackContext api = context.onApi(context.apiKey());
        String call = api.requests().get("/v1/presence?subject=" + presence.room(), "Connection: close");
        long endNanos = System.nanoTime()
                + 1_000_000 * presence.leaveMillis()
                + 2 * context.timeout().toNanos();
        String answer;
        do {
            AttackContext.pause(Duration.ofMillis(200));
            try (AttackConnection connection = api.target().open()) {
                connection.send(call);
                connection.await(context.timeout(), text -> text.contains("\"users\":"));
                answer = connection.text();
            }
        } while (!answer.contains("\"users\":0") && System.nanoTime() - endNanos < 0);
        if (!answer.contains("\"users\":0")) {
            context.fault("members are still present after their sessions have ended");
        }
    }
}
