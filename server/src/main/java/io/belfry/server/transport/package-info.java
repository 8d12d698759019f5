/**
 * Sockets and what is spoken on them: accepting, HTTP, WebSocket, streams. The only package that knows Netty's channels. A
 * connection's bytes become commands of its lane and what the lane writes becomes bytes again; nothing here knows subjects,
 * history or other lanes' sessions.
 */
@NullMarked
package io.belfry.server.transport;

import org.jspecify.annotations.NullMarked;
