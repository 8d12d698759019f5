/**
 * Connections for clients, tens of thousands on one or two event loops: source addresses, TLS, handshakes, WebSocket
 * frames, HTTP streams. Owner of each connection: its loop. Knows nothing of the meaning of messages.
 */
@NullMarked
package io.belfry.client.connection;

import org.jspecify.annotations.NullMarked;
