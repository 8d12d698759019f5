/**
 * The part of a lane that serves its sessions: commands of sessions to the homes of subjects, subscriptions by name and by
 * pattern, watches, and the answers and messages of homes to sessions. Owned by the lane's loop; independent of sockets.
 */
@NullMarked
package io.belfry.server.edge;

import org.jspecify.annotations.NullMarked;
