/**
 * The inputs of a plan: clients, load, machines and failures to survive, as validated values, one for each option. Knows
 * neither coefficients nor the model.
 */
@NullMarked
package io.belfry.plan.input;

import org.jspecify.annotations.NullMarked;
