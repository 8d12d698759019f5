/**
 * Lanes and what passes between them. A lane is one thread that owns sessions, the subjects that hash to it and their
 * history; as an <em>edge</em> it serves its sessions, as a <em>home</em> it orders its subjects, and both sides talk to
 * the other lanes' sides by messages only. A workgroup is a name over one or several lanes.
 *
 * <pre>
 *   session -> Edge --ToHome--> Home -> Broker -> Home --ToEdge--> Edge -> FanOut -> sessions
 *              (its lane)       (the subject's lane)               (each interested lane)
 * </pre>
 *
 * <p>Between the same two lanes everything keeps its order, which is what joining without a gap rests on. Knows nothing of
 * sockets.
 */
@NullMarked
package io.belfry.server.workgroup;

import org.jspecify.annotations.NullMarked;
