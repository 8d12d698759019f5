package io.belfry.fuzz;

import io.belfry.server.codec.HttpRequestParser;
import io.belfry.server.codec.ParseResult;
import io.belfry.server.codec.QueryParameters;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Query strings: decoded as the JDK decodes forms, or refused; overlong UTF-8 and NUL are never accepted. */
public final class QueryTarget {
    private static final HttpRequestParser PARSER = new HttpRequestParser();

    private QueryTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        ByteBuf in = Unpooled.buffer();
        in.writeCharSequence("GET /p?", StandardCharsets.US_ASCII);
        in.writeBytes(input);
        in.writeCharSequence(" HTTP/1.1\r\nHost: a\r\n\r\n", StandardCharsets.US_ASCII);
        if (PARSER.parse(in) instanceof ParseResult.Head head && !in.isReadable()) {
            String text = new String(input, StandardCharsets.ISO_8859_1);
            if (text.indexOf(' ') < 0 && text.indexOf('\r') < 0) {
                check(head.request().query(), text);
            }
        }
    }

    private static void check(QueryParameters query, String text) {
        List<String> names = new ArrayList<>();
        for (String pair : text.split("&", -1)) {
            if (!pair.isEmpty()) {
                int sign = pair.indexOf('=');
                String name = decoded(sign < 0 ? pair : pair.substring(0, sign));
                String value = sign < 0 ? "" : decoded(pair.substring(sign + 1));
                names.add(name);
                SplitInput.require(query.all(name).contains(value), name + " lacks the value " + value);
                SplitInput.require(name.indexOf(0) < 0 && value.indexOf(0) < 0, "a NUL was accepted");
            }
        }
        SplitInput.require(query.names().equals(names), "the names or their order differ");
        for (String name : names) {
            SplitInput.require(query.all(name).getFirst().equals(query.first(name)), "the first value differs");
        }
    }

    private static String decoded(String form) {
        return URLDecoder.decode(form, StandardCharsets.UTF_8);
    }
}
