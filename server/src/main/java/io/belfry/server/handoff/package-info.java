/**
 * What lanes exchange: calls to the homes of subjects and to the edges that serve sessions, the batches that carry them,
 * and the use of limits that all lanes share. Calls between the same two lanes keep their order, on which joining
 * without a gap depends. Independent of what homes and edges do.
 */
@NullMarked
package io.belfry.server.handoff;

import org.jspecify.annotations.NullMarked;
