/**
 * One client as the server sees it: what it follows, what it may do, how far behind it is, and what is written to it. Owned
 * by the lane it is homed on; knows nothing of sockets, loops or other lanes.
 */
@NullMarked
package io.belfry.server.session;

import org.jspecify.annotations.NullMarked;
