/**
 * One client as the server sees it: its subscriptions, permissions, positions and outgoing bytes. Owned
 * by the client's lane; independent of sockets, loops and other lanes.
 */
@NullMarked
package io.belfry.server.session;

import org.jspecify.annotations.NullMarked;
