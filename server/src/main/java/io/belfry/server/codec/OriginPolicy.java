package io.belfry.server.codec;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which web pages may use the server (key AllowedOrigins). Browsers do not prevent pages of other sites from
 * opening WebSockets; this policy does. A request without Origin does not come from a page and is allowed. Any
 * sandboxed page can have the origin {@code null}, so this value and invalid origins are allowed only where all pages
 * are allowed. Immutable.
 */
public final class OriginPolicy {
    /** Value of AllowedOrigins that allows all pages. */
    private static final String ALL = "*";

    /** Value of AllowedOrigins that allows all pages with the schemes http and https. */
    private static final String WEB = "web";

    private enum Rule {
        SAME,
        ANY,
        LISTED
    }

    private final Rule rule;
    private final Set<Origin> listed;

    /** Whether all http and https pages are allowed in addition to the listed ones. */
    private final boolean web;

    /** The port whose pages are allowed where their host is that of the request; 0 for none. */
    private final int ownPort;

    private OriginPolicy(Rule rule, Set<Origin> listed, boolean web) {
        this(rule, listed, web, 0);
    }

    private OriginPolicy(Rule rule, Set<Origin> listed, boolean web, int ownPort) {
        this.rule = rule;
        this.listed = listed;
        this.web = web;
        this.ownPort = ownPort;
    }

    /** Returns this policy, with the pages that another port of this server serves allowed too; 0 is no port. */
    public OriginPolicy withOwnPort(int port) {
        return new OriginPolicy(rule, listed, web, port);
    }

    /**
     * Returns the policy for the values of AllowedOrigins: {@link #sameOrigin} for no values, {@link #any} for {@code
     * *}, otherwise a list of origins that may contain {@code web}.
     *
     * @throws IllegalArgumentException with the text that is not an origin
     */
    public static OriginPolicy of(Collection<String> values) {
        if (values.isEmpty()) {
            return sameOrigin();
        }
        if (values.contains(ALL)) {
            return any();
        }
        List<String> origins =
                values.stream().filter(value -> !value.equals(WEB)).toList();
        return new OriginPolicy(Rule.LISTED, parsed(origins), origins.size() < values.size());
    }

    /**
     * Returns a policy that allows pages with the scheme, host and port of this server, as in the Host of the
     * request.
     */
    public static OriginPolicy sameOrigin() {
        return new OriginPolicy(Rule.SAME, Set.of(), false);
    }

    /** Returns a policy that allows every page, whatever Origin its browser sends. */
    public static OriginPolicy any() {
        return new OriginPolicy(Rule.ANY, Set.of(), false);
    }

    /**
     * Returns a policy that allows only pages of these origins, {@code scheme://host[:port]}.
     *
     * @throws IllegalArgumentException with the text that is not an origin
     */
    public static OriginPolicy exactly(Collection<String> origins) {
        return new OriginPolicy(Rule.LISTED, parsed(origins), false);
    }

    private static Set<Origin> parsed(Collection<String> origins) {
        return origins.stream().map(OriginPolicy::required).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns whether the request is allowed; {@code secure} is true for a request over TLS. */
    public boolean allows(HttpRequest request, boolean secure) {
        return switch (request.headerCount("Origin")) {
            case 0 -> true;
            case 1 -> allows(origin(request), request.host(), secure) || isOwn(origin(request), request.host());
            default -> false;
        };
    }

    /** Returns whether the origin is listed in AllowedOrigins, or all origins are allowed explicitly. */
    public boolean names(HttpRequest request) {
        return rule != Rule.SAME
                && request.headerCount("Origin") == 1
                && allows(origin(request), request.host(), false);
    }

    /**
     * Returns the value of Access-Control-Allow-Origin for the response; null for none. If all pages are allowed, the
     * value is {@code *}, which browsers also accept for the origin {@code null}. The origin {@code null} itself is
     * never returned, because it does not identify a page.
     */
    public @Nullable String corsOrigin(HttpRequest request, boolean secure) {
        if (request.headerCount("Origin") == 0 || !allows(request, secure)) {
            return null;
        }
        return rule == Rule.ANY ? "*" : request.header("Origin");
    }

    /** Returns whether pages of different origins get the same response. */
    public boolean isSameForAll() {
        return rule == Rule.ANY;
    }

    private boolean allows(@Nullable Origin origin, @Nullable String host, boolean secure) {
        return switch (rule) {
            case ANY -> true;
            case LISTED -> origin != null && (listed.contains(origin) || (web && origin.isOfWeb()));
            case SAME ->
                origin != null && host != null && origin.equals(Origin.parse((secure ? "https://" : "http://") + host));
        };
    }

    private boolean isOwn(@Nullable Origin origin, @Nullable String host) {
        Authority called = ownPort == 0 || host == null ? null : Authority.parse(host);
        return origin != null && called != null && origin.equals(new Origin("http", called.host(), ownPort));
    }

    private static @Nullable Origin origin(HttpRequest request) {
        String value = request.header("Origin");
        return value == null ? null : Origin.parse(value);
    }

    private static Origin required(String text) {
        Origin origin = Origin.parse(text);
        if (origin == null) {
            throw new IllegalArgumentException("not an origin (scheme://host[:port]): " + text);
        }
        return origin;
    }

    /** An origin with an explicit port, so that equivalent origins are equal. */
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

        /**
         * Returns the default port of http or https; other schemes, such as those of browser extensions, have no
         * port.
         */
        private static int defaultPort(String scheme) {
            return switch (scheme) {
                case "http" -> 80;
                case "https" -> 443;
                default -> Authority.NO_PORT;
            };
        }

        boolean isOfWeb() {
            return scheme.equals("http") || scheme.equals("https");
        }

        private static boolean isSchemeCharacter(int c) {
            return HttpChars.isAlphanumeric(c) || "+-.".indexOf(c) >= 0;
        }
    }
}
