/**
 * The seam between one node and many: assigns messages their order and defines what a publisher may rely on.
 * Owned by the lane of the subjects; independent of sessions, lanes and sockets.
 */
@NullMarked
package io.belfry.server.broker;

import org.jspecify.annotations.NullMarked;
