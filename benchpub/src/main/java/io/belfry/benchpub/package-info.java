/** Main program of benchpub, which publishes on a fixed schedule and measures its lag. */
@NullMarked
package io.belfry.benchpub;

import org.jspecify.annotations.NullMarked;
