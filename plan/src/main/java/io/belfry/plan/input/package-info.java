/**
 * What is asked: how many clients, what they get, on which machines, surviving what. Values that have been checked; it
 * knows neither coefficients nor how anything is reckoned.
 */
@NullMarked
package io.belfry.plan.input;

import org.jspecify.annotations.NullMarked;
