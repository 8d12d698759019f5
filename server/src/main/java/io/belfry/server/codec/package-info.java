/**
 * The wire formats of the server's port: HTTP/1.1 requests and responses, the WebSocket handshake and WebSocket
 * frames. All parsers are stricter than those of general libraries. Pure functions and small state machines on
 * buffers; independent of channels, sessions and the meaning of the bytes.
 */
@NullMarked
package io.belfry.server.codec;

import org.jspecify.annotations.NullMarked;
