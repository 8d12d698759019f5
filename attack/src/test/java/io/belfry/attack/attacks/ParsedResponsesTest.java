package io.belfry.attack.attacks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ParsedResponsesTest {
    @Test
    void textInABodyIsNoResponse() {
        String body = "HTTP/1.1 200 OK\r\n\r\n";
        ParsedResponses responses =
                ParsedResponses.of("HTTP/1.1 400 Bad Request\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        assertThat(responses.all()).singleElement().satisfies(response -> {
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).isEqualTo(body);
        });
    }

    @Test
    void pipelinedResponsesAreCounted() {
        assertThat(ParsedResponses.of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 Not Found\r\n\r\n")
                        .toString())
                .isEqualTo("200, 404");
        assertThat(ParsedResponses.of(
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
                        .all())
                .hasSize(2);
    }

    @Test
    void anInterimResponseIsNotCounted() {
        ParsedResponses responses =
                ParsedResponses.of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        assertThat(responses.all()).hasSize(2);
        assertThat(responses.whole()).hasSize(1);
    }

    @Test
    void incompleteTextIsNoResponse() {
        assertThat(ParsedResponses.of("").toString()).isEqualTo("no response");
        assertThat(ParsedResponses.of("HTTP/1.1 200 OK\r\n").all()).isEmpty();
    }
}
