package io.belfry.settings;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/** The type of a setting's values: parses text into a value, or reports the rule that the text breaks. Immutable. */
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
     * Parses a value.
     *
     * @param text not blank, without white space around it
     * @throws BadValue with the rule that the text breaks
     */
    T parse(String text) throws BadValue;

    /** Returns how a value is written, for the documentation: {@code size}, {@code auto | true | false}. */
    String form();

    /** Any text. */
    static ValueType<String> text() {
        return text("text");
    }

    /** Text that the program parses itself; {@code form} describes it in the documentation. */
    static ValueType<String> text(String form) {
        return new TextType(form);
    }

    /** A path of the file system. */
    static ValueType<Path> path() {
        return new PathType();
    }

    /** A boolean: {@code true | false}, also {@code on | off} and {@code yes | no}. */
    static ValueType<Boolean> flag() {
        return new FlagType();
    }

    /** A whole number from {@code min} to {@code max}. */
    static ValueType<Long> number(long min, long max) {
        return new NumberType(min, max);
    }

    /** A number, or a word for a value that is known at run time only; the word parses to empty. */
    static ValueType<OptionalLong> numberOr(String word, long min, long max) {
        return new NumberOrWordType(word, min, max);
    }

    /** A size in bytes; {@code bare} is the unit of a number without a unit. */
    static ValueType<Long> size(SizeUnit bare, long minBytes, long maxBytes) {
        return new SizeType(bare, minBytes, maxBytes);
    }

    /** A size in bytes, or a percentage of a total that is known at run time. */
    static ValueType<ByteShare> share() {
        return new ShareType();
    }

    /** A time in milliseconds; {@code bare} is the unit of a number without a unit. */
    static ValueType<Long> time(TimeScale bare, long minMillis, long maxMillis) {
        return new TimeType(bare, minMillis, maxMillis);
    }

    /** One of these words, compared without regard to case and parsed to the spelling given here. */
    static ValueType<String> choice(String... words) {
        return new ChoiceType(List.of(words));
    }

    /** A comma list whose elements may contain ranges; the elements are generated on access. */
    static ValueType<Ranges> list() {
        return list("list");
    }

    /** A list whose elements the program parses itself; {@code form} describes them in the documentation. */
    static ValueType<Ranges> list(String form) {
        return new ListType(form);
    }
}
