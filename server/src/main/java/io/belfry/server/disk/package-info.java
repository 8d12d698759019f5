/**
 * Histories in files: writes a lane's log on a thread of its own, and at start reads the files, decides which parts are
 * valid and whether earlier positions are. Uses files and threads; independent of sessions, lanes and sockets.
 */
@NullMarked
package io.belfry.server.disk;

import org.jspecify.annotations.NullMarked;
