/** Child processes that end with their parent, and what the kernel and the monitor of a server report. Must not know load. */
@NullMarked
package io.belfry.benchkit.process;

import org.jspecify.annotations.NullMarked;
