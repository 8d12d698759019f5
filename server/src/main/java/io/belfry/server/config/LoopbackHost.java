package io.belfry.server.config;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes host names that always mean this machine. The owner of any other name can let it resolve to this machine.
 * A request with such a name may therefore come from a web page of that owner, not from a local program. Pure.
 */
public final class LoopbackHost {
    private static final String ADDRESSES = "localhost|127(?:\\.\\d{1,3}){3}";
    private static final Pattern HOST = Pattern.compile(ADDRESSES + "|::1|0:0:0:0:0:0:0:1", Pattern.CASE_INSENSITIVE);
    private static final Pattern HOST_FIELD = Pattern.compile(
            "(?:" + ADDRESSES + "|\\[(?:::1|0:0:0:0:0:0:0:1)])(?::\\d{0,5})?", Pattern.CASE_INSENSITIVE);

    private LoopbackHost() {}

    /** Returns whether a name, or an address without brackets, always means this machine. */
    static boolean is(String host) {
        return HOST.matcher(host).matches();
    }

    /** Returns whether a Host header means this machine; IPv6 addresses have brackets, and a port may follow. */
    public static boolean isNamedBy(@Nullable String hostField) {
        return hostField != null && HOST_FIELD.matcher(hostField).matches();
    }
}
