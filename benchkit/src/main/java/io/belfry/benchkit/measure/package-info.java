/**
 * Measurement and its report: stamps in payloads, latencies of all messages, the delivery check, and report lines. Must not
 * know sockets, encodings or configuration.
 */
@NullMarked
package io.belfry.benchkit.measure;

import org.jspecify.annotations.NullMarked;
