/**
 * Every decoder under input that nobody thought of. A target takes bytes and fails where a promise of the decoder does not
 * hold; Jazzer finds bytes for it, and what it found is kept in {@code src/test/resources/corpus} and replayed by every build.
 */
@NullMarked
package io.belfry.fuzz;

import org.jspecify.annotations.NullMarked;
