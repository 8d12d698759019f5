/**
 * The Java client: subscribes and publishes, reconnects and recovers by itself. The public classes are thread-safe; all
 * others belong to the client's loop.
 */
@NullMarked
package io.belfry.client;

import org.jspecify.annotations.NullMarked;
