package io.belfry.server.monitor;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Locale;

/** The user name and password of a request with HTTP Basic authentication, RFC 7617. Immutable. */
public record BasicLogin(String username, String password) {
    private static final String SCHEME = "basic ";

    /** Reads the header {@code Authorization}. A malformed value gives an empty user name, which is wrong everywhere. */
    public static BasicLogin read(String authorization) {
        String pair = decoded(authorization);
        int colon = pair.indexOf(':');
        return new BasicLogin(colon < 0 ? "" : pair.substring(0, colon), pair.substring(colon + 1));
    }

    private static String decoded(String authorization) {
        if (!authorization.toLowerCase(Locale.ROOT).startsWith(SCHEME)) {
            return "";
        }
        try {
            byte[] pair = Base64.getDecoder()
                    .decode(authorization.substring(SCHEME.length()).strip());
            return new String(pair, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return "";
        }
    }
}
