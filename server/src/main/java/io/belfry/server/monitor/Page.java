package io.belfry.server.monitor;

import com.sun.net.httpserver.Headers;
import java.io.IOException;

/** One path of the HTTP monitor. Safe for any thread. */
interface Page {
    Answer answer(Headers request) throws IOException;

    /** Whether anyone may ask: load balancers and supervisors carry no password. */
    default boolean open() {
        return false;
    }
}
