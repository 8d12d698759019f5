/**
 * Exports metrics and spans to an OpenTelemetry receiver, by OTLP over HTTP. It has threads of its own and must not use any
 * part of the server except the interface of the monitor and the queue of spans.
 */
@NullMarked
package io.belfry.otlp;

import org.jspecify.annotations.NullMarked;
