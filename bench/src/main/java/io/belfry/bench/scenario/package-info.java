/**
 * The named workloads and the processes and settings that they consist of. Pure: must not start a process.
 */
@NullMarked
package io.belfry.bench.scenario;

import org.jspecify.annotations.NullMarked;
