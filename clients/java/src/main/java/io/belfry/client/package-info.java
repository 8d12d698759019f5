/**
 * The client: subscribes and publishes, reconnects and recovers by itself. What a user calls is thread-safe; everything
 * behind it is owned by the client's one loop.
 */
@NullMarked
package io.belfry.client;

import org.jspecify.annotations.NullMarked;
