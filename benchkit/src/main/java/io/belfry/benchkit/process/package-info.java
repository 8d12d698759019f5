/** Programs run as children that outlive nobody, and what their output says. Knows nothing of load and figures. */
@NullMarked
package io.belfry.benchkit.process;

import org.jspecify.annotations.NullMarked;
