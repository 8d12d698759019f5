/**
 * Measures how fast many sessions that reconnect at once receive their missed messages. Owned by its own main thread and one
 * client loop; must not know the configured load generators.
 */
@NullMarked
package io.belfry.benchkit.recovery;

import org.jspecify.annotations.NullMarked;
