/**
 * The attacks, one class each: what is done to the server, bounded in count and time, and what must come of it. They know
 * a door and some facts of the configuration; what the server suffered is judged elsewhere.
 */
@NullMarked
package io.belfry.attack.attacks;

import org.jspecify.annotations.NullMarked;
