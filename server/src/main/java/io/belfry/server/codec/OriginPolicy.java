package io.belfry.server.codec;

import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which web pages may talk to the server (the key AllowedOrigins). Browsers do not keep pages of other sites from
 * opening WebSockets; this does. A request without Origin does not come from a page and passes; the origin
 * {@code null}, which any sandboxed page can take on, never does. Immutable.
 */
public final class OriginPolicy {
    private enum Rule {
        SAME,
        ANY,
        LISTED
    }

    private final Rule rule;
    private final Set<Origin> listed;

    private OriginPolicy(Rule rule, Set<Origin> listed) {
        this.rule = rule;
        this.listed = listed;
    }

    /** Pages that came from this server's own scheme, host and port, as the request's Host names them. */
    public static OriginPolicy sameOrigin() {
        return new OriginPolicy(Rule.SAME, Set.of());
    }

    /** Every page but those of origin {@code null}. */
    public static OriginPolicy any() {
        return new OriginPolicy(Rule.ANY, Set.of());
    }

    /**
     * Pages of these origins, {@code scheme://host[:port]}, and no others.
     *
     * @throws IllegalArgumentException naming the text that is no origin
     */
    public static OriginPolicy exactly(Collection<String> origins) {
        return new OriginPolicy(
                Rule.LISTED, origins.stream().map(OriginPolicy::required).collect(Collectors.toUnmodifiableSet()));
    }

    /** Whether a request may go on; {@code secure} tells whether it came over TLS. */
    public boolean allows(HttpRequest request, boolean secure) {
        return switch (request.headerCount("Origin")) {
            case 0 -> true;
            case 1 -> allows(origin(request), request.host(), secure);
            default -> false;
        };
    }

    /** Whether it comes from a page that the key names, or where it names any: one that the operator meant. */
    public boolean names(HttpRequest request) {
        return rule != Rule.SAME
                && request.headerCount("Origin") == 1
                && allows(origin(request), request.host(), false);
    }

    /** The value of Access-Control-Allow-Origin in the answer; null for none. */
    public @Nullable String corsOrigin(HttpRequest request, boolean secure) {
        if (request.headerCount("Origin") == 0 || !allows(request, secure)) {
            return null;
        }
        return rule == Rule.ANY ? "*" : request.header("Origin");
    }

    /** Whether two pages of different origins are answered alike. */
    public boolean isSameForAll() {
        return rule == Rule.ANY;
    }

    private boolean allows(@Nullable Origin origin, @Nullable String host, boolean secure) {
        if (origin == null) {
            return false;
        }
        return switch (rule) {
            case ANY -> true;
            case LISTED -> listed.contains(origin);
            case SAME -> host != null && origin.equals(Origin.parse((secure ? "https://" : "http://") + host));
        };
    }

    private static @Nullable Origin origin(HttpRequest request) {
        String value = request.header("Origin");
        return value == null ? null : Origin.parse(value);
    }

    private static Origin required(String text) {
        Origin origin = Origin.parse(text);
        if (origin == null) {
            throw new IllegalArgumentException("Not an origin (scheme://host[:port]): " + text);
        }
        return origin;
    }

    /** An origin with its port written out, so that equal origins are equal. */
    private record Origin(String scheme, String host, int port) {
        static @Nullable Origin parse(String text) {
            int schemeEnd = text.indexOf("://");
            if (schemeEnd <= 0 || !text.substring(0, schemeEnd).chars().allMatch(Origin::isSchemeCharacter)) {
                return null;
            }
            String scheme = text.substring(0, schemeEnd).toLowerCase(Locale.ROOT);
            Authority authority = Authority.parse(text.substring(schemeEnd + 3));
            return authority == null
                    ? null
                    : new Origin(scheme, authority.host(), authority.portOr(defaultPort(scheme)));
        }

        /** Pages of other schemes, as those of browser extensions, have no port. */
        private static int defaultPort(String scheme) {
            return switch (scheme) {
                case "http" -> 80;
                case "https" -> 443;
                default -> Authority.NO_PORT;
            };
        }

        private static boolean isSchemeCharacter(int c) {
            return HttpChars.isAlphanumeric(c) || "+-.".indexOf(c) >= 0;
        }
    }
}
