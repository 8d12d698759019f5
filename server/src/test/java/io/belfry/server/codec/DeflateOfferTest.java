package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DeflateOfferTest {
    private static final String TAKEN = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";

    private static void assertNotTaken(String offer) {
        assertThat(DeflateOffer.answerTo(offer)).as(offer).isNull();
    }

    @Test
    void noContextTakeoverIsAlwaysNegotiated() {
        for (String offer : new String[] {
            "permessage-deflate",
            "permessage-deflate; client_max_window_bits",
            " permessage-deflate ; client_max_window_bits = 8 ;server_no_context_takeover",
            "permessage-deflate; client_max_window_bits=\"15\"; client_no_context_takeover",
            "x-other; a=b, permessage-deflate"
        }) {
            assertThat(DeflateOffer.answerTo(offer)).as(offer).isEqualTo(TAKEN);
        }
    }

    @Test
    void aSmallerServerWindowIsDeclinedForTheNextOffer() {
        for (int bits = 8; bits < 15; bits++) {
            assertNotTaken("permessage-deflate; server_max_window_bits=" + bits);
        }
        assertThat(DeflateOffer.answerTo("permessage-deflate; server_max_window_bits=10, permessage-deflate"))
                .isEqualTo(TAKEN);
        assertThat(DeflateOffer.answerTo("permessage-deflate; server_max_window_bits=15"))
                .isEqualTo(TAKEN + "; server_max_window_bits=15");
    }

    @Test
    void unknownRepeatedAndInvalidParametersAreDeclined() {
        assertThat(DeflateOffer.answerTo(null)).isNull();
        assertNotTaken("");
        assertNotTaken("deflate-frame");
        assertNotTaken("Permessage-Deflate");
        assertNotTaken("permessage-deflate; mux");
        assertNotTaken("permessage-deflate;");
        assertNotTaken("permessage-deflate; =");
        assertNotTaken("permessage-deflate; server_no_context_takeover; server_no_context_takeover");
        assertNotTaken("permessage-deflate; server_no_context_takeover=true");
        assertNotTaken("permessage-deflate; client_no_context_takeover=");
        assertNotTaken("permessage-deflate; server_max_window_bits");
        assertNotTaken("permessage-deflate; server_max_window_bits=16");
        assertNotTaken("permessage-deflate; client_max_window_bits=7");
        assertNotTaken("permessage-deflate; client_max_window_bits=08");
        assertNotTaken("permessage-deflate; client_max_window_bits=\"8");
        assertNotTaken("permessage-deflate; client_max_window_bits=16; client_no_context_takeover");
    }
}
