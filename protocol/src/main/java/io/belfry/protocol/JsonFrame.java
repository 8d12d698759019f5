package io.belfry.protocol;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Reads a text frame as one JSON object: passes its members to a callback, in order, and reads their values. A value of
 * the wrong type is recorded as the frame's problem and reading continues, so that a later id is still found. Owner:
 * the decoder that holds it.
 *
 * <p>The bytes are decoded here, strictly, and the parser gets characters: from bytes, Jackson would guess UTF-16 and
 * UTF-32 and accept overlong forms.
 */
final class JsonFrame {
    /** Receives each member that is not null; calls one of the reading methods, or none to skip the value. */
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

    /** Reads the whole frame; afterwards {@link #problemCode} is null or the code of the first problem. */
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
                // Some libraries write null for members that are absent.
                members.member(name, this);
            }
            in.skipChildren();
        }
        if (in.nextToken() != null) {
            malformed("the text has characters after the JSON object");
        }
    }

    @Nullable
    Code problemCode() {
        return problemCode;
    }

    String problem() {
        return problem;
    }

    /** Returns the buffer with the texts read by {@link #text} and {@link #base64}; valid until the next frame. */
    ByteBuf texts() {
        return texts;
    }

    /** Returns the index where the next text will begin. */
    int textsEnd() {
        return texts.writerIndex();
    }

    /** Records a problem. The first problem counts, except that malformed JSON replaces any other. */
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

    /** Whether the frame is a complete JSON object, even if a member is invalid. */
    boolean isObject() {
        return problemCode != Code.BAD_JSON && problemCode != Code.BAD_UTF8;
    }

    /** Appends a string to the texts as UTF-8 and returns its length in bytes. */
    int text(String name) throws IOException {
        int start = textsEnd();
        if (in.currentToken() != JsonToken.VALUE_STRING) {
            wrongType(name, "a string");
        } else if (!Utf8.encode(in.getTextCharacters(), in.getTextOffset(), in.getTextLength(), texts)) {
            loneSurrogate(name);
        }
        return textsEnd() - start;
    }

    /** Decodes a base64 string, appends the bytes to the texts and returns their number. */
    int base64(String name) throws IOException {
        int start = textsEnd();
        byte[] encoded = textBytes(name);
        try {
            texts.writeBytes(Base64.getDecoder().decode(encoded));
        } catch (IllegalArgumentException notBase64) {
            problem(Code.BAD_REQUEST, name + " must be base64 as in RFC 4648, section 4");
        }
        return textsEnd() - start;
    }

    /** Returns a string as UTF-8 in a new array. */
    byte[] textBytes(String name) throws IOException {
        int start = textsEnd();
        byte[] bytes = new byte[text(name)];
        texts.getBytes(start, bytes);
        texts.writerIndex(start);
        return bytes;
    }

    /** Returns a string, or null if the value is not a string. */
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
        problem(Code.BAD_REQUEST, name + " has an unpaired surrogate");
    }

    /** Returns a whole number; a number with too many digits to be within 2^53 becomes the largest long. */
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
            problem(Code.BAD_POSITION, name + ": " + CommandRules.POSITION_RULE);
        }
        return position;
    }

    @Nullable
    PatternPosition patternPosition(String name) throws IOException {
        String text = string(name);
        PatternPosition position = text == null ? null : PatternPosition.parse(text);
        if (position == null) {
            problem(Code.BAD_POSITION, name + ": " + CommandRules.PATTERN_POSITION_RULE);
        }
        return position;
    }

    /** Appends the block of the headers in an object to the texts; returns its length, 0 for an empty object. */
    int headers(String member) throws IOException {
        int start = textsEnd();
        if (in.currentToken() != JsonToken.START_OBJECT) {
            problem(Code.BAD_HEADERS, member + " must be an object of strings");
            in.skipChildren();
            return 0;
        }
        MessageHeaders.begin(texts);
        while (in.nextToken() == JsonToken.FIELD_NAME) {
            header(in.currentName());
        }
        if (textsEnd() == start + MessageHeaders.LENGTH_BYTES) {
            texts.writerIndex(start);
        } else if (!MessageHeaders.end(texts, start)) {
            problem(Code.BAD_HEADERS, MessageHeaders.BYTES_RULE);
        }
        return textsEnd() - start;
    }

    private void header(String name) throws IOException {
        if (in.nextToken() != JsonToken.VALUE_STRING) {
            problem(Code.BAD_HEADERS, "the value of a header must be a string");
            in.skipChildren();
            return;
        }
        if (hasLoneSurrogate(name)) {
            loneSurrogate("a header");
        }
        int nameLength = ByteBufUtil.utf8Bytes(name);
        if (nameLength > 0xff) {
            problem(Code.BAD_HEADERS, MessageHeaders.NAME_RULE);
        }
        texts.writeByte(nameLength);
        ByteBufUtil.writeUtf8(texts, name);
        int length = textsEnd();
        texts.writeShort(0);
        int bytes = text("a header");
        if (bytes > MessageHeaders.BYTES_MAX) {
            problem(Code.BAD_HEADERS, MessageHeaders.BYTES_RULE);
        }
        texts.setShort(length, bytes);
    }

    boolean startsArray(String name) throws IOException {
        if (in.currentToken() != JsonToken.START_ARRAY) {
            wrongType(name, "an array of strings");
            return false;
        }
        return true;
    }

    /** Advances to the next element and returns false at the end of the array. The caller must read each element. */
    boolean nextElement() throws IOException {
        return in.nextToken() != JsonToken.END_ARRAY;
    }

    private void wrongType(String name, String type) throws IOException {
        problem(Code.BAD_REQUEST, name + " must be " + type);
        in.skipChildren();
    }

    static String shortened(String text) {
        return text.length() <= REASON_MAX_CHARS ? text : text.substring(0, REASON_MAX_CHARS) + "...";
    }
}
