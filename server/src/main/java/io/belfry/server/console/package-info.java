/** The server's part of the console: the figures of ten minutes, logins, and the responses to its pages. */
@NullMarked
package io.belfry.server.console;

import org.jspecify.annotations.NullMarked;
