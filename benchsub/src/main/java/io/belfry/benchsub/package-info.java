/** Main program of benchsub, which opens subscribers and measures what they receive. */
@NullMarked
package io.belfry.benchsub;

import org.jspecify.annotations.NullMarked;
