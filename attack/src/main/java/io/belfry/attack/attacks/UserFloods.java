package io.belfry.attack.attacks;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/** One user that exceeds its rates with many sessions from several addresses, beside another user. Pure. */
final class UserFloods {
    private static final int SESSIONS = 32;
    private static final double STEPS_PER_SECOND = 200;

    /** How many times its rate the user sends. */
    private static final int EXCESS = 4;

    /** The rates are those of a bucket that holds the tokens of one second; lanes hold some more tokens for a moment. */
    private static final double TOLERANCE = 1.1;

    private static final int TOLERANCE_COUNT = 16;
    private static final int OTHER_STEPS_MIN = 20;

    private static final String PUBLISH =
            "{\"op\":\"publish\",\"id\":1,\"subject\":\"/attack/user-flood\",\"data\":\"x\"}";
    private static final String SUBSCRIBE = "{\"op\":\"subscribe\",\"id\":2,\"subject\":\"/attack/user-flood/s\"}";
    private static final String UNSUBSCRIBE = "{\"op\":\"unsubscribe\",\"id\":3,\"subject\":\"/attack/user-flood/s\"}";

    private static final Pattern PUBLISHED = Pattern.compile("\"op\":\"published\"");
    private static final Pattern PUBLISH_REFUSED = Pattern.compile("\"code\":\"user-publish-rate\"");
    private static final Pattern EXECUTED =
            Pattern.compile("\"op\":\"(subscribed|unsubscribed)\"|\"code\":\"not-subscribed\"");
    private static final Pattern COMMAND_REFUSED = Pattern.compile("\"code\":\"command-rate\"");

    private UserFloods() {}

    static void run(AttackContext context) throws IOException {
        EffectiveSettings.UserRates rates =
                Objects.requireNonNull(context.settings().features().rates(), "the attack needs rates of users");
        try (ConnectionGroup flooding = new ConnectionGroup();
                AttackConnection other = session(context, rates, "other")) {
            for (int i = 0; i < SESSIONS; i++) {
                flooding.require(() -> session(context, rates, "flooder"));
            }
            long begunNanos = System.nanoTime();
            int asked = flood(context, rates, flooding, other);
            long sent = awaitAnswers(context, flooding);
            double seconds = (System.nanoTime() - begunNanos) / 1e9;
            if (rates.publishes() > 0) {
                judge(context, flooding, "publishes", rates.publishes(), seconds, PUBLISHED, PUBLISH_REFUSED);
            }
            if (rates.commands() > 0) {
                judge(context, flooding, "commands", rates.commands(), seconds, EXECUTED, COMMAND_REFUSED);
            }
            other.await(context.timeout(), text -> count(text, PUBLISHED) == asked);
            if (count(other.text(), PUBLISHED) < asked) {
                context.fault("publishes of another user were not accepted");
            }
            context.note(SESSIONS + " sessions of one user got " + sent + " answers");
        }
    }

    private static AttackConnection session(AttackContext context, EffectiveSettings.UserRates rates, String user)
            throws IOException {
        return context.upgradedWith(context.target().open(), rates.users().token(user));
    }

    /** Sends at a multiple of the rates, and within them as the other user; returns the publishes of the other user. */
    private static int flood(
            AttackContext context,
            EffectiveSettings.UserRates rates,
            ConnectionGroup flooding,
            AttackConnection other) {
        byte[] publishes = AttackFrames.repeated(AttackFrames.text(PUBLISH), perStep(rates.publishes()));
        byte[] commands = AttackFrames.repeated(
                AttackFrames.joined(AttackFrames.text(SUBSCRIBE), AttackFrames.text(UNSUBSCRIBE)),
                Math.ceilDiv(perStep(rates.commands()), 2));
        int otherSteps = rates.publishes() == 0
                ? OTHER_STEPS_MIN
                : Math.max(OTHER_STEPS_MIN, Math.ceilDiv(2 * (int) STEPS_PER_SECOND, rates.publishes()));
        AttackRate rate = context.rate(STEPS_PER_SECOND);
        int asked = 0;
        while (rate.next()) {
            AttackConnection next = flooding.connections.get(rate.count() % SESSIONS);
            next.offer(AttackFrames.joined(publishes, commands));
            next.poll();
            if (rate.count() % otherSteps == 1) {
                asked += other.sendCommand(PUBLISH.replace("user-flood", "other")) ? 1 : 0;
                other.poll();
            }
        }
        return asked;
    }

    private static int perStep(int perSecond) {
        return perSecond == 0 ? 0 : (int) Math.ceil(EXCESS * perSecond / STEPS_PER_SECOND);
    }

    /** Waits until no further answer arrives; returns the number of answers. */
    private static long awaitAnswers(AttackContext context, ConnectionGroup flooding) {
        long endNanos = System.nanoTime() + context.timeout().toNanos();
        long before = -1;
        long answers = answers(flooding);
        while (answers > before && System.nanoTime() - endNanos < 0) {
            AttackContext.pause(Duration.ofMillis(100));
            before = answers;
            answers = answers(flooding);
        }
        return answers;
    }

    private static long answers(ConnectionGroup flooding) {
        return flooding.connections.stream()
                .mapToLong(each -> {
                    String text = each.poll().text();
                    return count(text, PUBLISHED)
                            + count(text, PUBLISH_REFUSED)
                            + count(text, EXECUTED)
                            + count(text, COMMAND_REFUSED);
                })
                .sum();
    }

    private static long count(String text, Pattern pattern) {
        return pattern.matcher(text).results().count();
    }

    private static void judge(
            AttackContext context,
            ConnectionGroup flooding,
            String what,
            int rate,
            double seconds,
            Pattern accepted,
            Pattern refused) {
        long executed = sum(flooding, accepted);
        if (executed > rate * (seconds + 1) * TOLERANCE + TOLERANCE_COUNT) {
            context.fault("one user had " + executed + " " + what + " accepted in " + Math.round(seconds * 10) / 10.0
                    + " s, over its rate of " + rate);
        }
        if (sum(flooding, refused) == 0) {
            context.fault("no " + what + " of a user above its rate were refused");
        }
        context.note(executed + " " + what + " accepted within a rate of " + rate);
    }

    private static long sum(ConnectionGroup flooding, Pattern pattern) {
        return flooding.connections.stream()
                .mapToLong(each -> count(each.text(), pattern))
                .sum();
    }
}
