/**
 * What things cost: each figure with its unit, where it was measured and when. The figures are in {@code
 * coefficients.json}, a user's file or single ones of the command line above it; it knows nothing of what they are for.
 */
@NullMarked
package io.belfry.plan.coefficient;

import org.jspecify.annotations.NullMarked;
