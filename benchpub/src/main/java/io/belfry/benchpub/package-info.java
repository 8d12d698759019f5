/** Publishes on a fixed schedule and measures how well it was kept. A main over benchkit. */
@NullMarked
package io.belfry.benchpub;

import org.jspecify.annotations.NullMarked;
