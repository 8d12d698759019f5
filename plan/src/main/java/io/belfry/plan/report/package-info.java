/** Plans and simulations as tables for people and as JSON for programs. Pure. */
@NullMarked
package io.belfry.plan.report;

import org.jspecify.annotations.NullMarked;
