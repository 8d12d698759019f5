/**
 * Computes how many nodes and brokers a load needs. The inputs are validated values, one for each option. All terms are {@link
 * io.belfry.plan.model.Formula}s, which carry their own text, so {@code --explain} prints exactly what was computed. Each
 * coefficient has a unit, a source and a date. Pure.
 */
@NullMarked
package io.belfry.plan.model;

import org.jspecify.annotations.NullMarked;
