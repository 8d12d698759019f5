/**
 * The named workloads and what each means in processes and settings. Pure: it plans, and starts nothing.
 */
@NullMarked
package io.belfry.bench.scenario;

import org.jspecify.annotations.NullMarked;
