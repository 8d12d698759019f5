package io.belfry.client.connection;

import io.belfry.client.connection.Ending.Cause;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Describes in one line why a connection failed. Pure. */
final class ConnectFailure {
    /**
     * Netty's native errors have the negative errno in their text: {@code connect(..) failed with error(-111): ...}.
     */
    private static final Pattern ERRNO = Pattern.compile("error\\(-(\\d+)\\)");

    private static final int EMFILE = 24;
    private static final int ENFILE = 23;
    private static final int EACCES = 13;
    private static final int EADDRINUSE = 98;
    private static final int EADDRNOTAVAIL = 99;
    private static final int ETIMEDOUT = 110;
    private static final int ECONNREFUSED = 111;

    /** The JDK's exceptions have only the system's text. */
    private static final Map<String, Integer> TEXTS = Map.of(
            "Too many open files", EMFILE,
            "Permission denied", EACCES,
            "Address already in use", EADDRINUSE,
            "Cannot assign requested address", EADDRNOTAVAIL,
            "Connection timed out", ETIMEDOUT,
            "Connection refused", ECONNREFUSED);

    private ConnectFailure() {}

    static Ending ofSocket(Throwable cause) {
        int errno = errno(cause);
        if (errno == EMFILE || errno == ENFILE) {
            return new Ending(
                    Cause.FILES_USED_UP,
                    "the limit of open files is reached: raise it (ulimit -n); each connection needs one file");
        }
        return new Ending(Cause.UNREACHABLE, "cannot open a socket: " + text(cause));
    }

    static Ending of(Throwable cause, Route route) {
        InetSocketAddress server = route.server();
        String name = server.getHostString() + ":" + server.getPort();
        return switch (errno(cause)) {
            case EADDRINUSE, EADDRNOTAVAIL -> sourceUnusable(route.sources());
            case EACCES ->
                new Ending(Cause.UNREACHABLE, "permission denied for ports below 1024: set LocalPorts to higher ports");
            case ECONNREFUSED ->
                new Ending(Cause.UNREACHABLE, "connection refused by " + name + ": is the server running?");
            case ETIMEDOUT -> new Ending(Cause.TIMED_OUT, name + " did not answer");
            default -> new Ending(Cause.UNREACHABLE, name + " cannot be reached: " + text(cause));
        };
    }

    private static Ending sourceUnusable(SourceAddresses sources) {
        return sources.explicitPorts() && !sources.usedUp()
                ? new Ending(Cause.SOURCE_TAKEN, "an address and port of LocalAddresses and LocalPorts is in use")
                : new Ending(Cause.PORTS_USED_UP, sources.portsUsedUp());
    }

    private static int errno(Throwable cause) {
        for (@Nullable Throwable t = cause; t != null; t = t.getCause()) {
            Matcher errno = ERRNO.matcher(String.valueOf(t.getMessage()));
            if (errno.find()) {
                return Integer.parseInt(errno.group(1));
            }
            Integer known = TEXTS.get(String.valueOf(t.getMessage()));
            if (known != null) {
                return known;
            }
        }
        return 0;
    }

    private static String text(Throwable cause) {
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
