/**
 * Runs a load generator from its command line to its exit code: reads the settings, conducts a fleet through ramp, warm-up
 * and measurement, and prints and writes the figures.
 */
@NullMarked
package io.belfry.benchkit.run;

import org.jspecify.annotations.NullMarked;
