/**
 * Sockets and their protocols: accepts connections and serves HTTP, WebSocket and streams. This package alone uses
 * Netty's channels. It turns received bytes into commands of a lane, and the lane's output into bytes; it is
 * independent of subjects, history and the sessions of other lanes.
 */
@NullMarked
package io.belfry.server.transport;

import org.jspecify.annotations.NullMarked;
