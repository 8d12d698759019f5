/**
 * Contains Main and Server, the only class that creates objects of all other packages. No other package depends on this
 * package.
 */
@NullMarked
package io.belfry.server;

import org.jspecify.annotations.NullMarked;
