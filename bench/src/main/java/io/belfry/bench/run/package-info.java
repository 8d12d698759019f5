/**
 * Runs a plan: server and load generators as processes, watched, ended whatever happens, and made into a report. The
 * main thread owns it all.
 */
@NullMarked
package io.belfry.bench.run;

import org.jspecify.annotations.NullMarked;
