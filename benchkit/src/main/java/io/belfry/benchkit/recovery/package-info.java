/**
 * Measures how soon many sessions that come back at once have everything they missed. Owned by its own main thread and one
 * client loop; it knows nothing of the configured load generators.
 */
@NullMarked
package io.belfry.benchkit.recovery;

import org.jspecify.annotations.NullMarked;
