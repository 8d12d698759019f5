/** Writes JSON to memory. */
@NullMarked
package io.belfry.server.json;

import org.jspecify.annotations.NullMarked;
