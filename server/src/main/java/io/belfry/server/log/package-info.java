/**
 * Where the log goes. The only place that knows the logging library behind SLF4J; owned by the root package, which opens
 * it before anything else and closes it last.
 */
@NullMarked
package io.belfry.server.log;

import org.jspecify.annotations.NullMarked;
