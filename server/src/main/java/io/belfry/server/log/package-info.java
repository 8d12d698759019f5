/**
 * The log's destination. The only package that uses the logging library behind SLF4J; owned by the root package, which opens
 * it first and closes it last.
 */
@NullMarked
package io.belfry.server.log;

import org.jspecify.annotations.NullMarked;
