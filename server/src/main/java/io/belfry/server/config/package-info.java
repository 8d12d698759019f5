/**
 * What the server is told to do: every key with its sentence, one validated record per concern, and the loader that
 * turns text into them. Immutable values throughout; knows nothing of the parts it configures.
 */
@NullMarked
package io.belfry.server.config;

import org.jspecify.annotations.NullMarked;
