package io.belfry.fuzz;

import io.belfry.server.codec.ProxyHeader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** The header of a proxy, and what follows it: the same client, and the same bytes behind it, however they come. */
public final class ProxyTarget {
    private ProxyTarget() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Pieces.of(input).readEveryWay(Reader::new);
    }

    private static final class Reader implements Pieces.Reader {
        private final ByteBuf held = Unpooled.buffer();
        private String told = "";

        @Override
        public void accept(byte[] bytes) {
            held.writeBytes(bytes);
            if (!told.isEmpty()) {
                return;
            }
            int start = held.readerIndex();
            switch (ProxyHeader.read(held)) {
                case ProxyHeader.Result.NeedMore more ->
                    Pieces.require(held.readerIndex() == start, "nothing taken of what is not whole");
                case ProxyHeader.Result.Malformed malformed -> told = "malformed " + malformed.why();
                case ProxyHeader.Result.Whole whole -> {
                    Pieces.require(held.readerIndex() - start >= 16, "a whole header");
                    told = "client " + whole.client();
                }
            }
        }

        @Override
        public String told() {
            return told.startsWith("client") ? told + ByteBufUtil.hexDump(held) : told;
        }
    }
}
