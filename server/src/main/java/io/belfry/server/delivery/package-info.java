/**
 * Delivery of messages and answers to a lane's sessions: encoding once per wire format, one write per session and turn,
 * batching and conflation. Owned by the lane's loop; independent of sockets, and of how a session subscribed.
 */
@NullMarked
package io.belfry.server.delivery;

import org.jspecify.annotations.NullMarked;
