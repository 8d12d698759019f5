/**
 * Text in the properties style the field knows, turned into typed values: sizes, times, ranges, lists and the nearest
 * key for a misspelt one. JDK only; knows no key of any program.
 */
@NullMarked
package io.belfry.settings;

import org.jspecify.annotations.NullMarked;
