package io.belfry.attack.attacks;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * One kind of attack. Its body reports wrong responses of the server to the context; whether regular clients suffered is
 * measured elsewhere. Immutable.
 *
 * @param name in lower case with hyphens
 * @param description what the attack does, in one line
 * @param applies whether a configuration has the feature that the attack needs
 * @param otherwise the reason to skip the attack without the feature
 */
public record Attack(
        String name, String description, Body body, Predicate<EffectiveSettings> applies, String otherwise) {
    /** The code of an attack; throws if a connection fails that the server should have accepted. */
    public interface Body {
        /** Runs the attack until it is complete or its time is over. */
        void run(AttackContext context) throws IOException;
    }

    /** All attacks in the order in which they run. */
    public static final List<Attack> ALL = List.of(
            of("slow-header", "request heads that arrive byte by byte and never end", ConnectionFloods::header),
            of("slow-body", "publish bodies that arrive byte by byte and never end", ConnectionFloods::body),
            of("half-handshakes", "connections that send no request, or part of one", ConnectionFloods::handshakes),
            of("tls-hellos", "partial and invalid hellos, floods of handshakes", TlsHellos::run)
                    .onlyIf(EffectiveSettings::encrypted, "ListenEncrypted is not set"),
            of("handshake-resets", "connections that are reset after each byte sent", ConnectionFloods::resets),
            of("idle-flood", "hundreds of sessions and connections that stay idle", ConnectionFloods::idle),
            of("huge-heads", "request heads of 1 MB in one line and in many, to be refused", InvalidRequests::huge),
            of("smuggling", "requests with an ambiguous end, to be refused and disconnected", InvalidRequests::smuggle),
            of("pipelining", "thousands of pipelined requests, responses not read", UnreadResponses::pipelining),
            of("cross-site", "upgrades, streams, polls and publishes by pages of other sites", ForbiddenAccess::pages),
            of("unmasked-frames", "frames without a mask or with invalid bits or data", InvalidMessages::unmasked),
            of("long-lengths", "frames that announce up to 2^63 bytes and beyond", InvalidMessages::longLengths),
            of("tiny-fragments", "messages of endless fragments of 0 or 1 byte", InvalidMessages::tinyFragments),
            of("ping-flood", "thousands of pings of maximum size, pongs not read", UnreadResponses::pings),
            of(
                            "compression-bomb",
                            "messages of 64 KB that inflate to 64 MB, which must end the session",
                            CompressedMessages::bomb)
                    .onlyIf(EffectiveSettings::compression, "Compression is off"),
            of(
                            "inflate-ratio",
                            "messages of 100 bytes that inflate to 50 MB a second, over Limit.InflateRate",
                            CompressedMessages::ratio)
                    .onlyIf(EffectiveSettings::compression, "Compression is off"),
            of("json-bombs", "deep nesting, huge numbers and names, duplicates, trailing data", InvalidMessages::json),
            of("injection", "line ends that could forge lines of streams, headers or logs", Injection::run),
            of("token-guessing", "200 wrong tokens a second in headers and commands", ForbiddenAccess::guessTokens)
                    .onlyIf(settings -> settings.token() != null, "no token is needed"),
            of("subject-flood", "a session that uses more and more subjects", SessionFloods::subjects),
            of("wildcard-flood", "a session that subscribes to more and more patterns", SessionFloods::wildcards),
            of("publish-flood", "sessions that publish 10,000 messages a second", SessionFloods::publishes),
            of("slow-readers", "subscribers of large messages that read nothing", UnreadResponses::slowReaders),
            of("history-flood", "60 requests for 3 MB of history, responses not read", UnreadResponses::history),
            of("header-abuse", "messages with reserved, huge, too many or malformed headers", InvalidHeaders::run),
            of(
                            "presence-flood",
                            "50 users a second join a room and leave, one session toggles, followers do not read",
                            PresenceFloods::run)
                    .onlyIf(
                            EffectiveSettings::hasPresence,
                            "needs Entitlement = JWT without --token-file, and a line Subjects.N with presence=yes"),
            of(
                            "event-flood",
                            "5,000 events of subjects a second for a receiver that is slow, one session toggles",
                            EventFloods::run)
                    .onlyIf(EffectiveSettings::hasEvents, "needs a line Subjects.N with a wildcard and events=..."),
            of("user-flood", "32 sessions of one user at four times the rates of a user", UserFloods::run)
                    .onlyIf(
                            EffectiveSettings::hasUserRates,
                            "needs Entitlement = JWT without --token-file, and Limit.PublishRatePerUser or"
                                    + " Limit.CommandRatePerUser up to 2000"),
            ofApi("api-keys", "calls of the server API with wrong keys", ApiAttacks::keys),
            ofApi("api-nonsense", "malformed and oversized calls of the server API", ApiAttacks::nonsense),
            ofApi("api-flood", "300 connections to the server API with halves of calls and lists", ApiAttacks::floods),
            ofApi("api-resets", "calls of the server API that are reset before the answer", ApiAttacks::resets),
            ofApi(
                    "api-slow-readers",
                    "40 readers of 5 MB of the server API that read nothing",
                    ApiAttacks::slowReaders));

    /** Returns an attack that applies to every configuration. */
    public static Attack of(String name, String description, Body body) {
        return new Attack(name, description, body, settings -> true, "");
    }

    private static Attack ofApi(String name, String description, Body body) {
        return of(name, description, body).onlyIf(EffectiveSettings::hasApi, "the server has no API");
    }

    private Attack onlyIf(Predicate<EffectiveSettings> condition, String reasonToSkip) {
        return new Attack(name, description, body, condition, reasonToSkip);
    }

    /** Returns why the attack does not apply to this configuration; empty if it does. */
    public Optional<String> skipReason(EffectiveSettings settings) {
        return applies.test(settings) ? Optional.empty() : Optional.of("not applicable: " + otherwise);
    }
}
