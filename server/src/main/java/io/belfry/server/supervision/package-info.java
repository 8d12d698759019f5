/**
 * Supervision of a lane's sessions while time passes: pings of silent clients, tokens and their expiry, notices that the node
 * is stale, and the drain. Owned by the lane's loop; independent of commands and of the delivery of messages.
 */
@NullMarked
package io.belfry.server.supervision;

import org.jspecify.annotations.NullMarked;
