/**
 * What a report says, and its two forms: JSON and one HTML page. Reads histogram logs; knows nothing of processes and
 * of who measured.
 */
@NullMarked
package io.belfry.bench.report;

import org.jspecify.annotations.NullMarked;
