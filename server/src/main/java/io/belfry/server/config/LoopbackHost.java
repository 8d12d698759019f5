package io.belfry.server.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Names that mean this machine wherever they are looked up. Any other may be made to point here by whoever owns it, so a
 * request that says it is not from a program of this machine for certain: a page of that name may have sent it. Pure.
 */
public final class LoopbackHost {
    private static final String ADDRESSES = "localhost|127(?:\\.\\d{1,3}){3}";
    private static final Pattern HOST = Pattern.compile(ADDRESSES + "|::1|0:0:0:0:0:0:0:1", Pattern.CASE_INSENSITIVE);
    private static final Pattern HOST_FIELD = Pattern.compile(
            "(?:" + ADDRESSES + "|\\[(?:::1|0:0:0:0:0:0:0:1)])(?::\\d{0,5})?", Pattern.CASE_INSENSITIVE);

    private LoopbackHost() {}

    /** A name or address without brackets. */
    static boolean is(String host) {
        return HOST.matcher(host).matches();
    }

    /** What a request's Host has, or an address: with brackets around IPv6, and maybe a port. */
    public static boolean isNamedBy(@Nullable String hostField) {
        return hostField != null && HOST_FIELD.matcher(hostField).matches();
    }
}
