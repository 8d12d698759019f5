package io.belfry.server.monitor;

import com.sun.net.httpserver.Headers;
import java.io.IOException;

/** A page of the HTTP monitor. Safe for any thread. */
interface Page {
    Answer answer(Headers request) throws IOException;

    /** Returns whether the page needs no password, because load balancers and supervisors send none. */
    default boolean open() {
        return false;
    }
}
