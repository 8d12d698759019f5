/**
 * The server's configuration: all keys with their descriptions, one validated record per concern, and the loader that
 * parses text into them. All values are immutable. Does not depend on the parts that it configures.
 */
@NullMarked
package io.belfry.server.config;

import org.jspecify.annotations.NullMarked;
