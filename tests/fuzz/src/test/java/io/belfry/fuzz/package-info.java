/**
 * Fuzz tests of all decoders. A target takes bytes and fails if the decoder breaks an invariant. Jazzer searches for such
 * bytes; its findings are kept in {@code src/test/resources/corpus} and replayed by every build.
 */
@NullMarked
package io.belfry.fuzz;

import org.jspecify.annotations.NullMarked;
