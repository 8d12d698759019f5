package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;

/** Sessions that cause events about subjects without an end, while the receiver of the events is slow. Pure. */
final class EventFloods {
    private static final double STEPS_PER_SECOND = 50;

    /** Pairs of subscribe and unsubscribe that one session sends in each step. */
    private static final int TOGGLES_PER_STEP = 10;

    private static final int MESSAGES_PER_STEP = 100;
    private static final int MESSAGE_BYTES = 500;

    /** The subject is occupied, is vacated if the session pauses for {@code Events.VacantTime}, and is occupied again. */
    private static final int TOGGLER_EVENTS_MAX = 4;

    private static final long VACANT_MILLIS_MIN = 1000;

    private EventFloods() {}

    static void run(AttackContext context) throws IOException {
        EffectiveSettings.Events events =
                Objects.requireNonNull(context.settings().features().events(), "the attack needs a receiver of events");
        SlowReceiver receiver = events.receiver();
        receiver.begin(events.subject("toggled"));
        try (AttackConnection toggler = context.session();
                AttackConnection publisher = context.session()) {
            int steps = flood(context, events, toggler, publisher);
            receiver.recover();
            boolean recovered = awaitRecovery(context, events, publisher);
            judge(context, events, steps, recovered);
        } finally {
            receiver.recover();
        }
    }

    private static int flood(
            AttackContext context,
            EffectiveSettings.Events events,
            AttackConnection toggler,
            AttackConnection publisher) {
        byte[] toggles = AttackFrames.repeated(toggle(events.subject("toggled")), TOGGLES_PER_STEP);
        byte[] messages = AttackFrames.repeated(
                AttackFrames.publish(events.subject("flooded"), "x".repeat(MESSAGE_BYTES)), MESSAGES_PER_STEP);
        AttackRate rate = context.rate(STEPS_PER_SECOND);
        while (rate.next()) {
            if (events.ofSubscribers()) {
                toggler.offer(AttackFrames.joined(toggles, toggle(events.subject("s" + rate.count()))));
            }
            if (events.ofMessages()) {
                publisher.offer(messages);
            }
            toggler.poll().forget();
            publisher.poll().forget();
        }
        return rate.count();
    }

    private static byte[] toggle(String subject) {
        return AttackFrames.joined(
                AttackFrames.text("{\"op\":\"subscribe\",\"subject\":\"" + subject + "\"}"),
                AttackFrames.text("{\"op\":\"unsubscribe\",\"subject\":\"" + subject + "\"}"));
    }

    /** Causes one event after the other until one arrives; returns whether one did, and so the end of the waiting ones. */
    private static boolean awaitRecovery(
            AttackContext context, EffectiveSettings.Events events, AttackConnection session) {
        long endNanos = System.nanoTime() + 4 * context.timeout().toNanos();
        for (int i = 0; System.nanoTime() - endNanos < 0; i++) {
            String subject = events.subject("end" + i);
            events.receiver().await(subject);
            session.send(events.ofMessages() ? AttackFrames.publish(subject, "x") : toggle(subject));
            long nextNanos = System.nanoTime() + context.timeout().toNanos() / 4;
            while (System.nanoTime() - nextNanos < 0) {
                if (events.receiver().hasArrived()) {
                    return true;
                }
                session.poll().forget();
                AttackContext.pause(Duration.ofMillis(5));
            }
        }
        return false;
    }

    private static void judge(AttackContext context, EffectiveSettings.Events events, int steps, boolean recovered) {
        SlowReceiver.Arrived arrived = events.receiver().arrived();
        if (!recovered) {
            context.fault("no event arrives after the receiver has recovered");
        }
        if (arrived.holes() > 0) {
            context.fault("events are missing without an announcement: " + arrived.holes());
        }
        if (events.vacantMillis() >= VACANT_MILLIS_MIN && arrived.watched() > TOGGLER_EVENTS_MAX) {
            context.fault(
                    "a session that subscribes and unsubscribes in a loop caused " + arrived.watched() + " events");
        }
        context.note((events.ofMessages() ? MESSAGES_PER_STEP * steps : 0) + " messages and "
                + (events.ofSubscribers() ? TOGGLES_PER_STEP * steps : 0)
                + " subscriptions and ends of one session caused "
                + arrived.events() + " events at a slow receiver, " + arrived.missed() + " announced as missed");
    }
}
