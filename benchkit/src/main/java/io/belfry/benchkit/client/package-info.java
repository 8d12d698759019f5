/**
 * WebSocket clients by the ten thousand on one or two event loops: source addresses, handshake, frames. Knows nothing
 * of what the frames mean.
 */
@NullMarked
package io.belfry.benchkit.client;

import org.jspecify.annotations.NullMarked;
