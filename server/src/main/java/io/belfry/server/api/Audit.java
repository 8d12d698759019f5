package io.belfry.server.api;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of calls that change something: one line for each, with the name of the key. Pure except for the log. */
final class Audit {
    private static final Logger LOG = LoggerFactory.getLogger(Audit.class);

    private Audit() {}

    /** Logs a call. {@code what} describes the change, and may have texts of clients. */
    static void log(ApiRequest request, String act, String what) {
        LOG.info("server API: {} by key {} from {}: {}", act, request.key(), request.address(), oneLine(what));
    }

    /** Returns a text without line breaks and other control characters, so that it cannot pretend to be another line. */
    static String oneLine(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
