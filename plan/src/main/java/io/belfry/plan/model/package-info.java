/**
 * How many nodes and brokers it takes, term by term. Each term is reckoned by {@link io.belfry.plan.model.Value}s, which
 * know how they came about, so that what {@code --explain} prints is what was reckoned. Pure.
 */
@NullMarked
package io.belfry.plan.model;

import org.jspecify.annotations.NullMarked;
