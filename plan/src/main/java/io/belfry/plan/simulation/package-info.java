/**
 * What becomes of sessions when nodes go: counts per node and step of time, drawn from the distributions that single
 * clients would make, so that a billion of them cost no more than a million. It knows the limits it is given, not where
 * they come from. Seeded, single-threaded; no clock.
 */
@NullMarked
package io.belfry.plan.simulation;

import org.jspecify.annotations.NullMarked;
