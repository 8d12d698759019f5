package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Settings of {@code Entitlement = Http}: the application decides. Immutable; its text never contains secrets.
 *
 * @param urls addresses of the application, asked in this order
 * @param headers names of the request headers that a question contains, in lower case
 */
public record DecideConfig(
        List<URI> urls,
        SignatureConfig signature,
        Optional<Path> authorities,
        List<String> headers,
        long answerMillis,
        long pauseMillis,
        Bounds bounds) {
    /**
     * Bounds of the questions and answers.
     *
     * @param parallel maximum number of requests under way
     * @param waiting maximum number of questions that wait for a request
     * @param waitingBytes maximum bytes of publishes that wait for a decision
     */
    public record Bounds(
            int parallel, int waiting, long waitingBytes, int answerBytes, int cacheEntries, long cacheMillis) {}

    static final int MAX_PARALLEL = 10_000;
    static final long MAX_WAITING_BYTES = 1L << 40;
    static final int MAX_CACHE_ENTRIES = 10_000_000;
    static final int MIN_ANSWER_BYTES = 1 << 10;
    static final int MAX_ANSWER_BYTES = 1 << 20;
    private static final int HEADERS_MAX = 16;

    /** The token has its own member, which is not in question twice. */
    private static final Set<String> FORBIDDEN = Set.of("authorization", "sec-websocket-protocol");

    public DecideConfig {
        urls = List.copyOf(urls);
        headers = headers.stream().map(name -> name.toLowerCase(Locale.ROOT)).toList();
        if (urls.isEmpty()) {
            throw new InvalidSetting("Entitlement", "Http needs Decide.Url, the address of the application");
        }
        if (signature.isEmpty()) {
            throw new InvalidSetting(
                    "Entitlement", "Http needs Decide.Secret or Decide.SecretFile, which signs its questions");
        }
        if (headers.size() > HEADERS_MAX) {
            throw new InvalidSetting("Decide.Headers", "has more than " + HEADERS_MAX + " names");
        }
        headers.forEach(DecideConfig::requireHeader);
    }

    private static void requireHeader(String name) {
        InvalidSetting.unless(
                name.matches("[a-z0-9!#$%&'*+.^_`|~-]{1,64}"),
                "Decide.Headers",
                name,
                "is not a name of an HTTP header");
        InvalidSetting.unless(
                !FORBIDDEN.contains(name),
                "Decide.Headers",
                name,
                "must not be listed: a question has the client's token as its member token");
    }
}
