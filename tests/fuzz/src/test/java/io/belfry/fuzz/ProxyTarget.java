package io.belfry.fuzz;

import io.belfry.server.codec.ProxyHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** Proxy headers: the client and the bytes after the header do not depend on how the bytes are split. */
public final class ProxyTarget {
    private ProxyTarget() {}

    /** Called by Jazzer and by {@link CorpusTest} for each input. */
    public static void fuzzerTestOneInput(byte[] input) {
        SplitInput.of(input).readInAllSplits(Reader::new);
    }

    private static final class Reader implements SplitInput.Reader {
        private final ByteBuf held = Unpooled.buffer();
        private String result = "";

        @Override
        public void accept(byte[] bytes) {
            held.writeBytes(bytes);
            if (!result.isEmpty()) {
                return;
            }
            int start = held.readerIndex();
            switch (ProxyHeader.read(held)) {
                case ProxyHeader.Result.NeedMore more ->
                    SplitInput.require(held.readerIndex() == start, "bytes of an incomplete header were consumed");
                case ProxyHeader.Result.Malformed malformed -> result = "malformed " + malformed.why();
                case ProxyHeader.Result.Whole whole -> {
                    SplitInput.require(held.readerIndex() - start >= 16, "the header is too short");
                    result = "client " + whole.client();
                }
            }
        }

        @Override
        public String result() {
            return result.startsWith("client") ? result + ByteBufUtil.hexDump(held) : result;
        }
    }
}
