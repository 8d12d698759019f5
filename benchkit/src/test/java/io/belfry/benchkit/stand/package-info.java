/** A small server with deliberate faults that the figures of a load generator must detect. For tests only. */
@NullMarked
package io.belfry.benchkit.stand;

import org.jspecify.annotations.NullMarked;
