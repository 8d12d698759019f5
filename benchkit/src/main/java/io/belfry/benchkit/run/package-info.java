/**
 * A load generator from its command line to its exit code: reads the settings, conducts a fleet through ramp, warm-up
 * and measurement, prints and writes what was measured.
 */
@NullMarked
package io.belfry.benchkit.run;

import org.jspecify.annotations.NullMarked;
