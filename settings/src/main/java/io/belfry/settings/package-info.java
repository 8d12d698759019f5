/**
 * Parses text in the style of properties files into typed values: sizes, times, ranges and lists. Suggests the most
 * similar key for a misspelt one. Uses the JDK only, and knows no key of any program.
 */
@NullMarked
package io.belfry.settings;

import org.jspecify.annotations.NullMarked;
