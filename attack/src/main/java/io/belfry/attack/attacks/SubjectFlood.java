package io.belfry.attack.attacks;

import io.belfry.attack.wire.Frames;
import io.belfry.attack.wire.Wire;
import java.io.IOException;
import java.time.Duration;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One session that subscribes to ever more, and then publishes to ever more subjects. Immutable.
 *
 * @param subject the i-th that it subscribes to
 */
record SubjectFlood(String name, String sentence, IntFunction<String> subject) implements Attack {
    /** A session that is granted more than this has no bound worth the name. */
    private static final int BOUND_MAX = 5_000;

    private static final int AT_ONCE = 100;
    private static final double COMMANDS_PER_SECOND = 100;
    private static final double PUBLISHES_PER_SECOND = 2000;
    private static final int PUBLISHES_MAX = 10_000;

    static SubjectFlood plain() {
        return new SubjectFlood(
                "subject-flood",
                "a session that subscribes and publishes to ever more subjects",
                i -> "/attack/subject-flood/s" + i);
    }

    static SubjectFlood wildcards() {
        return new SubjectFlood(
                "wildcard-flood",
                "a session that subscribes to ever more patterns, many of which match what others publish",
                i -> switch (i % 3) {
                    case 0 -> "/attack/witness/*/" + i + "/**";
                    case 1 -> "/*/w" + i + "/*";
                    default -> "/attack/wildcard-flood/*/w" + i;
                });
    }

    @Override
    public void run(Field field) throws IOException {
        int limit = field.facts().subjectsPerSession();
        int wanted = limit > 0 && limit < BOUND_MAX ? limit + 10 * AT_ONCE : BOUND_MAX;
        try (Wire wire = field.session()) {
            Pace pace = field.pace(COMMANDS_PER_SECOND);
            int asked = 0;
            while (asked < wanted && !wire.poll().isEnded()) {
                pace.next();
                wire.send(Frames.text(subscribe(asked)));
                asked += AT_ONCE;
            }
            int expected = asked;
            wire.await(field.patience(), text -> answered(text) >= expected);
            int granted = count(wire.text(), "\"op\":\"subscribed\"");
            if (granted >= BOUND_MAX) {
                field.gaveWay("one session was granted all of " + granted + " subscriptions");
            }
            if (limit > 0 && granted > limit) {
                field.gaveWay("one session has " + granted + " subscriptions, over Limit.SubjectsPerSession");
            }
            field.did(granted + " of " + asked + " subscriptions granted");
            publish(field, wire);
        }
    }

    private String subscribe(int first) {
        return IntStream.range(first, first + AT_ONCE)
                .mapToObj(i -> '"' + subject.apply(i) + '"')
                .collect(Collectors.joining(",", "{\"op\":\"subscribe\",\"id\":" + first + ",\"subjects\":[", "]}"));
    }

    private static int answered(String text) {
        return count(text, "\"op\":\"subscribed\"") + count(text, "\"op\":\"error\"");
    }

    private static int count(String text, String part) {
        int count = 0;
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
            count++;
        }
        return count;
    }

    private static void publish(Field field, Wire wire) {
        Pace pace = field.pace(PUBLISHES_PER_SECOND);
        while (pace.count() < PUBLISHES_MAX && !wire.isEnded() && pace.next()) {
            wire.send(Frames.text(
                    "{\"op\":\"publish\",\"subject\":\"/attack/new/" + pace.count() + "\",\"data\":\"x\"}"));
            if (pace.count() % 50 == 0) {
                wire.poll().forget();
            }
        }
        field.did(pace.count() + " subjects published to");
        wire.awaitEnd(Duration.ofMillis(50));
    }
}
