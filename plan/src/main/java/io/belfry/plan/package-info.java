/** The command line of {@code bin/belfry plan}: options, files and reports. */
@NullMarked
package io.belfry.plan;

import org.jspecify.annotations.NullMarked;
