/**
 * The part of a lane that is the home of subjects: order by the broker, the lanes interested in each subject, reads of past
 * messages, and publishers that watch subjects. Owned by the lane's loop; independent of sessions.
 */
@NullMarked
package io.belfry.server.home;

import org.jspecify.annotations.NullMarked;
