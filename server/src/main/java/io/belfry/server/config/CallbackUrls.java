package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.net.URI;
import java.util.List;

/** Checks the addresses to which the server sends requests. Pure. */
final class CallbackUrls {
    private static final int URLS_MAX = 8;

    private CallbackUrls() {}

    static List<URI> parse(String key, List<String> texts) {
        if (texts.size() > URLS_MAX) {
            throw new InvalidSetting(key, "has more than " + URLS_MAX + " addresses");
        }
        return texts.stream().map(text -> parse(key, text)).toList();
    }

    /** Allows plain HTTP only on this machine, because requests contain tokens and names of users. */
    static URI parse(String key, String text) {
        InvalidSetting.unless(
                isSafe(text),
                key,
                text,
                "must be an https URL, or an http URL of 127.0.0.1, [::1] or localhost, without a name and password");
        return URI.create(text);
    }

    private static boolean isSafe(String text) {
        try {
            URI url = URI.create(text);
            return url.getHost() != null
                    && url.getUserInfo() == null
                    && url.getRawFragment() == null
                    && url.getPort() != 0
                    && url.getPort() <= 65535
                    && ("https".equals(url.getScheme())
                            || ("http".equals(url.getScheme()) && LoopbackHost.isNamedBy(url.getHost())));
        } catch (IllegalArgumentException invalid) {
            return false;
        }
    }
}
