package io.belfry.client;

import io.belfry.client.connection.Ending;
import java.util.Locale;
import java.util.Set;

/** What an end means for the next attempt: the tables of docs/protocol.md, "Close" and "Codes". Pure. */
final class Refusals {
    private static final Set<Integer> FINAL_STATUSES = Set.of(400, 401, 403, 404, 405, 413, 426, 431, 501);
    private static final Set<Integer> FINAL_CLOSES = Set.of(1002, 1003, 1007, 1008, 1009);
    private static final Set<String> OF_SUBSCRIPTIONS = Set.of(
            "bad-subject",
            "bad-position",
            "wildcard-not-allowed",
            "subscribe-denied",
            "too-many-subjects",
            "too-many-patterns",
            "patterns-full",
            "subjects-full",
            "unsupported");

    private static final Set<String> OF_CONNECTIONS =
            Set.of("drain", "shutdown", "not-ready", "slow-consumer", "ping-timeout", "handshake-timeout");

    /** Of one that starts, drains, or is cut off from the others. */
    private static final Set<String> OF_THAT_SERVER = Set.of("drain", "shutdown", "not-ready");

    private static final Set<String> OF_THE_MOMENT = Set.of("publish-unknown", "cluster-unreachable", "cluster-full");

    private Refusals() {}

    /** A publish that was refused with it may succeed before long, here or on another connection. */
    static boolean isOfTheMoment(String code) {
        return OF_THE_MOMENT.contains(code);
    }

    /** The same again would meet with the same answer. */
    static boolean isFinal(Ending ending) {
        return switch (ending.cause()) {
            case REFUSED -> FINAL_STATUSES.contains(ending.number());
            case CLOSED_BY_SERVER -> FINAL_CLOSES.contains(ending.number());
            default -> false;
        };
    }

    /** It says nothing of the other servers, while one that is overloaded has neighbours who may be soon. */
    static boolean isOfThatServer(Ending ending) {
        return OF_THAT_SERVER.contains(ending.code());
    }

    static boolean isAboutToken(Ending ending) {
        return ending.number() == 401 || ending.code().equals("unauthorized");
    }

    static boolean isOfSubscription(String code) {
        return OF_SUBSCRIPTIONS.contains(code);
    }

    /** The same is welcome when the time is over that comes with it. */
    static boolean isForNow(String code) {
        return code.equals("command-rate");
    }

    /** It says nothing of what was asked, only that another connection has to ask again. */
    static boolean isOfConnection(String code) {
        return OF_CONNECTIONS.contains(code);
    }

    /** The server's code; where it gave none, the kind of ending in the same style. */
    static String code(Ending ending) {
        return ending.code().isEmpty()
                ? ending.cause().name().toLowerCase(Locale.ROOT).replace('_', '-')
                : ending.code();
    }
}
