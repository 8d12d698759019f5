package io.belfry.attack.attacks;

import io.belfry.attack.attacks.Attack.Requirement;
import java.util.List;

/** Lists all attacks in the order in which they run. Immutable. */
public final class Attacks {
    private static final List<Attack> ALL = List.of(
            new Attack("slow-header", "request heads that arrive byte by byte and never end", SlowConnections::header),
            new Attack("slow-body", "publish bodies that arrive byte by byte and never end", SlowConnections::body),
            new Attack(
                    "half-handshakes", "connections that send no request, or part of one", SlowConnections::handshakes),
            new Attack(
                    "tls-hellos", "partial and invalid hellos, floods of handshakes", Requirement.TLS, TlsHellos::run),
            new Attack("handshake-resets", "connections that are reset after each byte sent", ConnectionFloods::resets),
            new Attack("idle-flood", "hundreds of sessions and connections that stay idle", ConnectionFloods::idle),
            new Attack("huge-heads", "request heads of 1 MB in one line and in many, to be refused", HugeHeads::run),
            new Attack("smuggling", "requests with an ambiguous end, to be refused and disconnected", Smuggling::run),
            new Attack(
                    "pipelining", "thousands of pipelined requests, responses not read", UnreadResponses::pipelining),
            new Attack("cross-site", "upgrades, streams, polls and publishes by pages of other sites", CrossSite::run),
            new Attack(
                    "unmasked-frames", "frames without a mask or with invalid bits or data", InvalidFrames::unmasked),
            new Attack("long-lengths", "frames that announce up to 2^63 bytes and beyond", InvalidFrames::longLengths),
            new Attack("tiny-fragments", "messages of endless fragments of 0 or 1 byte", InvalidFrames::tinyFragments),
            new Attack("ping-flood", "thousands of pings of maximum size, pongs not read", UnreadResponses::pings),
            new Attack(
                    "compression-bomb",
                    "messages of 64 KB that inflate to 64 MB, which must end the session",
                    Requirement.COMPRESSION,
                    CompressedMessages::bomb),
            new Attack(
                    "inflate-ratio",
                    "messages of 100 bytes that inflate to 50 MB a second, over Limit.InflateRate",
                    Requirement.COMPRESSION,
                    CompressedMessages::ratio),
            new Attack("json-bombs", "deep nesting, huge numbers and names, duplicates, trailing data", JsonBombs::run),
            new Attack("injection", "line ends that could forge lines of streams, headers or logs", Injection::run),
            new Attack(
                    "token-guessing",
                    "200 wrong tokens a second in headers and commands",
                    Requirement.TOKEN,
                    TokenGuessing::run),
            new Attack("subject-flood", "a session that uses more and more subjects", SessionFloods::subjects),
            new Attack(
                    "wildcard-flood", "a session that subscribes to more and more patterns", SessionFloods::wildcards),
            new Attack("publish-flood", "sessions that publish 10,000 messages a second", SessionFloods::publishes),
            new Attack("slow-readers", "subscribers of large messages that read nothing", UnreadResponses::slowReaders),
            new Attack(
                    "history-flood", "60 requests for 3 MB of history, responses not read", UnreadResponses::history));

    private Attacks() {}

    /** Returns all attacks. */
    public static List<Attack> all() {
        return ALL;
    }
}
