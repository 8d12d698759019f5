/**
 * The bytes of the server's port, both ways: HTTP/1.1 requests and answers, the WebSocket handshake and WebSocket
 * frames, all stricter than a general library is. Pure functions and small state machines over buffers; knows nothing
 * of channels, sessions or what the bytes mean.
 */
@NullMarked
package io.belfry.server.codec;

import org.jspecify.annotations.NullMarked;
