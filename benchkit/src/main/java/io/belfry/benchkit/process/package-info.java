/** Child processes that end with their parent, and their output. Must not know load or figures. */
@NullMarked
package io.belfry.benchkit.process;

import org.jspecify.annotations.NullMarked;
