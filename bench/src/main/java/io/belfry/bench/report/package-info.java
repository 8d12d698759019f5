/**
 * The content of a report and its two forms: JSON and one HTML page. Reads histogram logs; must not know processes.
 */
@NullMarked
package io.belfry.bench.report;

import org.jspecify.annotations.NullMarked;
