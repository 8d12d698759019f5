/**
 * Runs a plan: starts the server and the load generators as processes, observes and ends them, and makes the report. Owner:
 * the main thread.
 */
@NullMarked
package io.belfry.bench.run;

import org.jspecify.annotations.NullMarked;
