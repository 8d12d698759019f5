/**
 * The seam between one node and many: who gives messages their place in the order and what a publisher may rely on.
 * Owned by the lane whose subjects these are; knows nothing of sessions, lanes or sockets.
 */
@NullMarked
package io.belfry.server.broker;

import org.jspecify.annotations.NullMarked;
