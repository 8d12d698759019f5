/**
 * What is measured and how it is told: stamps in payloads, latency figures over all messages, the check for what was
 * lost, and the report. Knows nothing of sockets, encodings or configuration.
 */
@NullMarked
package io.belfry.benchkit.measure;

import org.jspecify.annotations.NullMarked;
