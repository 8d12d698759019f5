/** A server small enough to be wrong on purpose: what the figures must find out, it does. For tests only. */
@NullMarked
package io.belfry.benchkit.stand;

import org.jspecify.annotations.NullMarked;
