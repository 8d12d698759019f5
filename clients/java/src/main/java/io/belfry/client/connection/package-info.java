/**
 * Connections by the ten thousand on one or two event loops: source addresses, TLS, handshakes, WebSocket frames, HTTP
 * streams. Owner of each connection: its loop. Knows nothing of what the messages mean.
 */
@NullMarked
package io.belfry.client.connection;

import org.jspecify.annotations.NullMarked;
