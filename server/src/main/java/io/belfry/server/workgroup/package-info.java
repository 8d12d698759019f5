/**
 * Lanes and the calls between them. A lane is one thread that owns sessions, the subjects that hash to it and their
 * history. As an <em>edge</em> it serves its sessions, as a <em>home</em> it orders its subjects; both parts call
 * other lanes by messages only. A workgroup is a name for one or several lanes.
 *
 * <pre>
 *   session -> Edge --ToHome--> Home -> Broker -> Home --ToEdge--> Edge -> FanOut -> sessions
 *              (its lane)       (the subject's lane)               (each interested lane)
 * </pre>
 *
 * <p>Calls between the same two lanes keep their order, on which joining without a gap depends. Independent of
 * sockets.
 */
@NullMarked
package io.belfry.server.workgroup;

import org.jspecify.annotations.NullMarked;
