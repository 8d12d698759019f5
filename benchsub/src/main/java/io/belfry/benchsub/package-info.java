/** Opens subscribers by the thousand and measures what they get. A main over benchkit. */
@NullMarked
package io.belfry.benchsub;

import org.jspecify.annotations.NullMarked;
