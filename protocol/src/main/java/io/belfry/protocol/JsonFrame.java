package io.belfry.protocol;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * One text frame as one JSON object: hands over its members in the order they come and reads their values. A value of
 * the wrong type is remembered as the frame's problem, so that the reading goes on and an id further back is still found.
 * Owner: the decoder that holds it.
 *
 * <p>The bytes are decoded here, strictly, and the parser sees characters: given bytes, Jackson would guess at UTF-16 and
 * UTF-32 and let overlong forms pass.
 */
final class JsonFrame {
    /** Told of each member that is not null; calls one of the reading methods, or none to pass over it. */
    interface Members {
        void member(String name, JsonFrame in) throws IOException;
    }

    private static final int REASON_MAX_CHARS = 160;
    private static final int START_SIZE = 1024;

    private final JsonFactory factory;
    private final ByteBuf texts = Unpooled.buffer(START_SIZE);
    private char[] chars = new char[START_SIZE];
    private JsonParser in;
    private @Nullable Code problemCode;
    private String problem = "";

    JsonFrame(JsonFactory factory) {
        this.factory = factory;
        this.in = parser(0);
    }

    private JsonParser parser(int count) {
        try {
            return factory.createParser(chars, 0, count);
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory", e);
        }
    }

    /** Reads the whole frame; what is wrong with it is then {@link #problemCode}, null for nothing. */
    void read(ByteBuf frame, int offset, int length, Members members) {
        texts.clear();
        problemCode = null;
        if (chars.length < length) {
            chars = new char[Math.max(length, chars.length * 2)];
        }
        int count = Utf8.decode(frame, offset, length, chars);
        if (count < 0) {
            problem(Code.BAD_UTF8, "the text is not UTF-8");
            return;
        }
        try (JsonParser parser = parser(count)) {
            in = parser;
            object(members);
        } catch (JacksonException e) {
            malformed("the text is not JSON: " + shortened(e.getOriginalMessage()));
        } catch (IOException e) {
            throw new UncheckedIOException("reading from memory", e);
        }
    }

    private void object(Members members) throws IOException {
        if (in.nextToken() != JsonToken.START_OBJECT) {
            malformed("the text is not a JSON object");
            return;
        }
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            String name = in.currentName();
            if (in.nextToken() != JsonToken.VALUE_NULL) {
                // null is written by libraries that do not leave out what is not there.
                members.member(name, this);
            }
            in.skipChildren();
        }
        if (in.nextToken() != null) {
            malformed("the text goes on after the JSON object");
        }
    }

    @Nullable
    Code problemCode() {
        return problemCode;
    }

    String problem() {
        return problem;
    }

    /** Holds what {@link #text} and {@link #base64} read, until the next frame. */
    ByteBuf texts() {
        return texts;
    }

    /** Where the next text will lie. */
    int textsEnd() {
        return texts.writerIndex();
    }

    /** The first one counts, but that the text is no JSON at all counts more. */
    void problem(Code code, String reason) {
        if (problemCode == null) {
            problemCode = code;
            problem = reason;
        }
    }

    private void malformed(String reason) {
        problemCode = null;
        problem(Code.BAD_JSON, reason);
    }

    /** Whether the frame could be read to its end, whatever is wrong with a member. */
    boolean isObject() {
        return problemCode != Code.BAD_JSON && problemCode != Code.BAD_UTF8;
    }

    /** Appends a string to the texts as UTF-8; its length there. */
    int text(String name) throws IOException {
        int start = textsEnd();
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            wrongType(name, "a string");
        } else if (!Utf8.encode(in.getTextCharacters(), in.getTextOffset(), in.getTextLength(), texts)) {
            loneSurrogate(name);
        }
        return textsEnd() - start;
    }

    /** Appends the bytes that a string stands for; their number. */
    int base64(String name) throws IOException {
        int start = textsEnd();
        byte[] encoded = textBytes(name);
        try {
            texts.writeBytes(Base64.getDecoder().decode(encoded));
        } catch (IllegalArgumentException notBase64) {
            problem(Code.BAD_REQUEST, name + " is not base64 as in RFC 4648, section 4");
        }
        return textsEnd() - start;
    }

    /** A string as UTF-8 in an array of its own. */
    byte[] textBytes(String name) throws IOException {
        int start = textsEnd();
        byte[] bytes = new byte[text(name)];
        texts.getBytes(start, bytes);
        texts.writerIndex(start);
        return bytes;
    }

    @Nullable
    String string(String name) throws IOException {
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            wrongType(name, "a string");
            return null;
        }
        String text = in.getText();
        if (hasLoneSurrogate(text)) {
            loneSurrogate(name);
        }
        return text;
    }

    private static boolean hasLoneSurrogate(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i)) && Character.charCount(text.codePointAt(i++)) == 1) {
                return true;
            }
        }
        return false;
    }

    private void loneSurrogate(String name) {
        problem(Code.BAD_REQUEST, name + " has half a surrogate pair");
    }

    /** A whole number; one of too many digits to be within 2^53 comes back as the largest long. */
    long whole(String name) throws IOException {
        if (in.currentToken() != JsonToken.VALUE_NUMBER_INT) {
            wrongType(name, "a whole number");
            return Long.MAX_VALUE;
        }
        return in.getTextLength() > BoundedJson.WHOLE_MAX_CHARS ? Long.MAX_VALUE : in.getLongValue();
    }

    boolean flag(String name) throws IOException {
        if (!in.currentToken().isBoolean()) {
            wrongType(name, "true or false");
            return false;
        }
        return in.getBooleanValue();
    }

    @Nullable
    Position position(String name) throws IOException {
        String text = string(name);
        Position position = text == null ? null : Position.parse(text);
        if (position == null) {
            problem(Code.BAD_POSITION, name + ": " + Commands.POSITION_RULE);
        }
        return position;
    }

    boolean startsArray(String name) throws IOException {
        if (in.currentToken() != JsonToken.START_ARRAY) {
            wrongType(name, "an array of strings");
            return false;
        }
        return true;
    }

    /** Steps to the next element; false at the array's end. Each element must be read. */
    boolean nextElement() throws IOException {
        return in.nextToken() != JsonToken.END_ARRAY;
    }

    private void wrongType(String name, String type) throws IOException {
        problem(Code.BAD_REQUEST, name + " is not " + type);
        in.skipChildren();
    }

    static String shortened(String text) {
        return text.length() <= REASON_MAX_CHARS ? text : text.substring(0, REASON_MAX_CHARS) + "...";
    }
}
