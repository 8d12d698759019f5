package io.belfry.server.console;

import com.sun.net.httpserver.HttpExchange;
import io.belfry.protocol.Code;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The static files of the console, read once at the start. They contain no data, so they need no login. Immutable. */
final class Site {
    private static final Logger LOG = LoggerFactory.getLogger(Site.class);

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml",
            "png", "image/png");

    private record File(String type, String tag, List<byte[]> plainAndPacked) {}

    private final Map<String, File> files;
    private final List<String> servers;

    private Site(Map<String, File> files, List<String> servers) {
        this.files = Map.copyOf(files);
        this.servers = List.copyOf(servers);
    }

    /**
     * Reads the files of a folder. If the folder is missing, the log and each response state how to build the pages.
     *
     * @param ports the server's ports with their scheme, such as {@code ws://:8800}, to which the pages may connect
     */
    static Site read(Path folder, List<String> ports) throws IOException {
        if (!Files.isDirectory(folder)) {
            LOG.info("the console's pages are not built; run: sh console/scripts/build.sh (it needs npm)");
            return new Site(Map.of(), ports);
        }
        Map<String, File> files = new HashMap<>();
        try (Stream<Path> found = Files.list(folder)) {
            for (Path path : found.filter(Files::isRegularFile).toList()) {
                String name = path.getFileName().toString();
                String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
                if (type != null) {
                    byte[] bytes = Files.readAllBytes(path);
                    files.put(name, new File(type, tag(bytes), List.of(bytes, packed(bytes))));
                }
            }
        }
        return new Site(files, ports);
    }

    private static byte[] packed(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(bytes);
        }
        return packed.toByteArray();
    }

    private static String tag(byte[] bytes) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
            return '"' + HexFormat.of().formatHex(digest, 0, 8) + '"';
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    ConsoleReply answer(HttpExchange exchange, String name) {
        if (files.isEmpty()) {
            return ConsoleReply.refusal(
                    Code.NOT_FOUND,
                    "The console's pages are not built; run: sh console/scripts/build.sh (it needs npm).");
        }
        File file = files.get(name.isEmpty() ? "index.html" : name);
        if (file == null) {
            return ConsoleReply.refusal(Code.NOT_FOUND, Code.NOT_FOUND.sentence());
        }
        boolean known = file.tag().equals(exchange.getRequestHeaders().getFirst("If-None-Match"));
        boolean packed = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Accept-Encoding"))
                .orElse("")
                .contains("gzip");
        byte[] body = known ? new byte[0] : file.plainAndPacked().get(packed ? 1 : 0);
        ConsoleReply reply = ConsoleReply.of(known ? 304 : 200, file.type(), body)
                .with("ETag", file.tag())
                .with("Cache-Control", "no-cache")
                .with("Vary", "Accept-Encoding")
                .with("Content-Security-Policy", policy(exchange));
        return packed && !known ? reply.with("Content-Encoding", "gzip") : reply;
    }

    private String policy(HttpExchange exchange) {
        StringBuilder connect = new StringBuilder("'self'");
        servers(exchange, servers).forEach(server -> connect.append(' ').append(server));
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src " + connect
                + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
                + " trusted-types lit-html";
    }

    /** Returns the addresses of the listeners with the host name of the request. */
    static List<String> servers(HttpExchange exchange, List<String> ports) {
        String host = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Host"))
                .orElse("");
        String name = host.replaceAll(":\\d*$", "");
        // The name is written into a header and into addresses, so it may have no other characters.
        return name.matches("[A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+]")
                ? ports.stream().map(port -> port.replace("//", "//" + name)).toList()
                : List.of();
    }
}
