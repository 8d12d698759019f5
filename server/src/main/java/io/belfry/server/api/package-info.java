/**
 * The server API: calls of backends over HTTP, on a listener of its own. Its threads wait for the lanes; it touches sessions and
 * subjects only by tasks on their lanes.
 */
@NullMarked
package io.belfry.server.api;

import org.jspecify.annotations.NullMarked;
