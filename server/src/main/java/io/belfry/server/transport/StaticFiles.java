package io.belfry.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * Serves files of {@code DocumentRoot}, for demonstrations: files are read on the loop, so use few and small ones. The
 * request parser has rejected dot segments; links to files outside the folder are not followed.
 */
final class StaticFiles {
    private static final long FILE_BYTES_MAX = 4 << 20;

    /** The content of a file and its type. */
    record Found(String contentType, ByteBuf content) {}

    private final Optional<Path> root;

    StaticFiles(Optional<Path> root) {
        this.root = root.map(StaticFiles::real);
    }

    private static Path real(Path path) {
        try {
            return path.toRealPath();
        } catch (IOException missing) {
            return path.toAbsolutePath();
        }
    }

    Optional<Found> find(String path) {
        return root.flatMap(folder -> read(folder, path.endsWith("/") ? path + "index.html" : path));
    }

    private static Optional<Found> read(Path folder, String path) {
        try {
            Path file = folder.resolve(path.substring(1)).toRealPath();
            if (!file.startsWith(folder) || !Files.isRegularFile(file) || Files.size(file) > FILE_BYTES_MAX) {
                return Optional.empty();
            }
            return Optional.of(new Found(
                    contentType(file.getFileName().toString()), Unpooled.wrappedBuffer(Files.readAllBytes(file))));
        } catch (IOException | java.nio.file.InvalidPathException notThere) {
            return Optional.empty();
        }
    }

    private static String contentType(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT)) {
            case "html" -> "text/html; charset=utf-8";
            case "js", "mjs" -> "text/javascript; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            case "json" -> "application/json";
            case "svg" -> "image/svg+xml";
            case "png" -> "image/png";
            case "txt", "md" -> "text/plain; charset=utf-8";
            default -> "application/octet-stream";
        };
    }
}
