package io.belfry.server.monitor;

/**
 * The limits of the JDK's HTTP server: connections, time for a request, time for a response. It reads them once from system
 * properties, so they apply to all of its listeners in the process. Stateless.
 */
public final class HttpServerLimits {
    private HttpServerLimits() {}

    /** Sets the limits, before the first listener is opened. The operator's values stay. */
    public static void apply() {
        set("jdk.httpserver.maxConnections", "256");
        set("sun.net.httpserver.maxReqTime", "10");
        set("sun.net.httpserver.maxRspTime", "30");
        set("sun.net.httpserver.nodelay", "true");
    }

    private static void set(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }
}
