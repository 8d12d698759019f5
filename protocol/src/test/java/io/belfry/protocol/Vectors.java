package io.belfry.protocol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Reads the test vectors, and converts bytes to and from hexadecimal. */
final class Vectors {
    static final ObjectMapper JSON = new ObjectMapper();

    /** Unwrapped buffers without the leak detector, which would allocate and take time for each access. */
    static final ByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(true, true);

    private Vectors() {}

    static List<JsonNode> of(String file) {
        try (InputStream in = Vectors.class.getResourceAsStream("/vectors/" + file)) {
            List<JsonNode> vectors = new ArrayList<>();
            JSON.readTree(Objects.requireNonNull(in, file)).forEach(vectors::add);
            return vectors;
        } catch (IOException e) {
            throw new AssertionError(file, e);
        }
    }

    static ByteBuf hex(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    }

    static String hex(ByteBuf bytes) {
        return ByteBufUtil.hexDump(bytes);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static ByteBuf buffer(String text) {
        return Unpooled.wrappedBuffer(utf8(text));
    }

    static String text(ByteBuf bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
