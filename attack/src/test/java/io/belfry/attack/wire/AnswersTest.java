package io.belfry.attack.wire;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AnswersTest {
    @Test
    void whatABodyHoldsIsNoAnswer() {
        String body = "HTTP/1.1 200 OK\r\n\r\n";
        Answers answers =
                Answers.of("HTTP/1.1 400 Bad Request\r\nContent-Length: " + body.length() + "\r\n\r\n" + body);
        assertThat(answers.all()).singleElement().satisfies(answer -> {
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.body()).isEqualTo(body);
        });
    }

    @Test
    void answersOneBehindTheOtherAreCounted() {
        assertThat(Answers.of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 404 Not Found\r\n\r\n")
                        .toString())
                .isEqualTo("200, 404");
        assertThat(Answers.of(
                                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
                        .count())
                .isEqualTo(2);
    }

    @Test
    void anInterimAnswerIsNone() {
        Answers answers = Answers.of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        assertThat(answers.count()).isEqualTo(2);
        assertThat(answers.whole()).hasSize(1);
    }

    @Test
    void nothingIsNoAnswer() {
        assertThat(Answers.of("").toString()).isEqualTo("no answer");
        assertThat(Answers.of("HTTP/1.1 200 OK\r\n").count()).isZero();
    }
}
