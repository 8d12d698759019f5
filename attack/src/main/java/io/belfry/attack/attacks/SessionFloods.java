package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sessions that subscribe and publish without an end. Pure. */
final class SessionFloods {
    /** A session that gets this many subscriptions has no effective limit. */
    private static final int SUBSCRIPTIONS_MAX = 5_000;

    private static final int SUBJECTS_PER_COMMAND = 100;
    private static final double COMMANDS_PER_SECOND = 100;
    private static final double PUBLISHES_PER_SECOND = 2000;
    private static final int PUBLISHES_MAX = 10_000;

    private static final int PUBLISHERS = 4;
    private static final int MESSAGES_PER_BATCH = 50;
    private static final double BATCHES_PER_SECOND = 200;

    private static final Pattern SUBSCRIBED = Pattern.compile("\"op\":\"subscribed\"");
    private static final Pattern SUBSCRIBED_OR_ERROR = Pattern.compile("\"op\":\"(subscribed|error)\"");

    private SessionFloods() {}

    static void subjects(AttackContext context) throws IOException {
        run(context, i -> "/attack/subject-flood/s" + i);
    }

    static void wildcards(AttackContext context) throws IOException {
        run(context, i -> switch (i % 3) {
            case 0 -> "/attack/regular/*/" + i + "/**";
            case 1 -> "/*/w" + i + "/*";
            default -> "/attack/wildcard-flood/*/w" + i;
        });
    }

    /** Subscribes one session to the i-th subject for growing i, then publishes to new subjects. */
    private static void run(AttackContext context, IntFunction<String> subject) throws IOException {
        int limit = context.settings().subjectsPerSession();
        int wanted = limit > 0 && limit < SUBSCRIPTIONS_MAX ? limit + 10 * SUBJECTS_PER_COMMAND : SUBSCRIPTIONS_MAX;
        try (AttackConnection session = context.session()) {
            AttackRate rate = context.rate(COMMANDS_PER_SECOND);
            int requested = 0;
            while (requested < wanted && !session.poll().isEnded()) {
                rate.next();
                session.sendCommand(subscribe(requested, subject));
                requested += SUBJECTS_PER_COMMAND;
            }
            awaitAnswers(context, session, requested);
            long granted = count(session.text(), SUBSCRIBED);
            if (granted >= SUBSCRIPTIONS_MAX) {
                context.fault("one session was granted all of " + granted + " subscriptions");
            }
            if (limit > 0 && granted > limit) {
                context.fault("one session has " + granted + " subscriptions, over Limit.SubjectsPerSession");
            }
            context.note(granted + " of " + requested + " subscriptions granted");
            publishToNewSubjects(context, session);
        }
    }

    /** Waits until all subscriptions are answered, as long as a further answer arrives within the timeout. */
    private static void awaitAnswers(AttackContext context, AttackConnection session, int expected) {
        long before;
        long answered = 0;
        do {
            before = answered;
            session.await(context.timeout(), text -> count(text, SUBSCRIBED_OR_ERROR) >= expected);
            answered = count(session.text(), SUBSCRIBED_OR_ERROR);
        } while (before < answered && answered < expected && !session.isEnded());
    }

    private static String subscribe(int first, IntFunction<String> subject) {
        return IntStream.range(first, first + SUBJECTS_PER_COMMAND)
                .mapToObj(i -> '"' + subject.apply(i) + '"')
                .collect(Collectors.joining(",", "{\"op\":\"subscribe\",\"id\":" + first + ",\"subjects\":[", "]}"));
    }

    private static long count(String text, Pattern pattern) {
        return pattern.matcher(text).results().count();
    }

    private static void publishToNewSubjects(AttackContext context, AttackConnection session) {
        AttackRate rate = context.rate(PUBLISHES_PER_SECOND);
        while (rate.count() < PUBLISHES_MAX && !session.isEnded() && rate.next()) {
            session.send(AttackFrames.publish("/attack/new/" + rate.count(), "x"));
            if (rate.count() % 50 == 0) {
                session.poll().forget();
            }
        }
        context.note(rate.count() + " subjects published to");
        session.awaitEnd(Duration.ofMillis(50));
    }

    /** The first of the publishing sessions subscribes to all of their messages; the others do not read. */
    static void publishes(AttackContext context) throws IOException {
        byte[][] batches = new byte[PUBLISHERS][];
        try (ConnectionGroup group = new ConnectionGroup()) {
            for (int i = 0; i < PUBLISHERS; i++) {
                group.require(context::session);
                byte[] message = AttackFrames.publish("/attack/publish-flood/" + i, "x".repeat(100));
                batches[i] = AttackFrames.repeated(message, MESSAGES_PER_BATCH);
            }
            AttackConnection subscriber = group.connections.get(0);
            subscriber.sendCommand("{\"op\":\"subscribe\",\"id\":1,\"subject\":\"/attack/publish-flood/*\"}");
            AttackRate rate = context.rate(BATCHES_PER_SECOND);
            long sent = 0;
            while (rate.next()) {
                int next = rate.count() % PUBLISHERS;
                subscriber.poll().forget();
                sent += group.connections.get(next).offer(batches[next]) ? MESSAGES_PER_BATCH : 0;
            }
            context.note(sent + " messages sent, " + (PUBLISHERS - group.open()) + " sessions ended");
        }
    }
}
