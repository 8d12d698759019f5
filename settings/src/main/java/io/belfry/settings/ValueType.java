package io.belfry.settings;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** What values a setting takes: turns text into a value or says which rule the text breaks. Immutable. */
public sealed interface ValueType<T>
        permits ChoiceType,
                FlagType,
                ListType,
                NumberOrWordType,
                NumberType,
                PathType,
                ShareType,
                SizeType,
                TextType,
                TimeType {
    /**
     * Turns text into a value.
     *
     * @param text never blank, without white space around it
     * @throws BadValue with the rule that the text breaks
     */
    T parse(String text) throws BadValue;

    /** How a value is written, for the documentation: {@code size}, {@code auto | true | false}. */
    String form();

    static ValueType<String> text() {
        return text("text");
    }

    /** Text that the program itself looks into; {@code form} tells how it is written. */
    static ValueType<String> text(String form) {
        return new TextType(form);
    }

    static ValueType<Path> path() {
        return new PathType();
    }

    /** {@code true | false}, also {@code on | off} and {@code yes | no}. */
    static ValueType<Boolean> flag() {
        return new FlagType();
    }

    static ValueType<Long> number(long min, long max) {
        return new NumberType(min, max);
    }

    /** A number, or a word that stands for one only known at run time; the word parses to empty. */
    static ValueType<OptionalLong> numberOr(String word, long min, long max) {
        return new NumberOrWordType(word, min, max);
    }

    /** Bytes; a number without a unit counts in {@code bare} units. */
    static ValueType<Long> size(SizeUnit bare, long minBytes, long maxBytes) {
        return new SizeType(bare, minBytes, maxBytes);
    }

    /** Bytes, or a percentage of something known later. */
    static ValueType<Share> share() {
        return new ShareType();
    }

    /** Milliseconds; a number without a unit counts in {@code bare} units. */
    static ValueType<Long> time(TimeScale bare, long minMillis, long maxMillis) {
        return new TimeType(bare, minMillis, maxMillis);
    }

    /** One of these words, matched without regard to case and parsed to the spelling given here. */
    static ValueType<String> choice(String... words) {
        return new ChoiceType(List.of(words));
    }

    /** A comma list whose elements may hold ranges; nothing is materialised. */
    static ValueType<Ranges> list() {
        return list("list");
    }

    /** A list whose elements the program itself looks into; {@code form} tells how they are written. */
    static ValueType<Ranges> list(String form) {
        return new ListType(form);
    }
}
