package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OriginPolicyTest {
    private static final OriginPolicy SAME = OriginPolicy.sameOrigin();

    @Test
    void aPageOfThisServerPasses() {
        assertThat(SAME.allows(request("http://a:8800", "a:8800"), false)).isTrue();
        assertThat(SAME.allows(request("http://A.example", "a.EXAMPLE:80"), false))
                .isTrue();
        assertThat(SAME.allows(request("https://a", "a:443"), true)).isTrue();
        assertThat(SAME.allows(request("http://[::1]:8800", "[::1]:8800"), false))
                .isTrue();
    }

    @Test
    void aPageThatDiffersInSchemeHostOrPortDoesNot() {
        assertThat(SAME.allows(request("https://a:8800", "a:8800"), false)).isFalse();
        assertThat(SAME.allows(request("http://a", "a"), true)).isFalse();
        assertThat(SAME.allows(request("http://b:8800", "a:8800"), false)).isFalse();
        assertThat(SAME.allows(request("http://a.b:8800", "a:8800"), false)).isFalse();
        assertThat(SAME.allows(request("http://a:8801", "a:8800"), false)).isFalse();
        assertThat(SAME.allows(request("http://a", "a:8800"), false)).isFalse();
        assertThat(SAME.allows(request("ftp://a:8800", "a:8800"), false)).isFalse();
        assertThat(SAME.allows(request("http://a:8800/", "a:8800"), false)).isFalse();
        assertThat(SAME.allows(request("a:8800", "a:8800"), false)).isFalse();
        assertThat(SAME.allows(request("", "a:8800"), false)).isFalse();
    }

    @Test
    void theOriginNullPassesNowhere() {
        for (OriginPolicy policy : List.of(SAME, OriginPolicy.any(), OriginPolicy.exactly(List.of("http://a")))) {
            assertThat(policy.allows(request("null", "a"), false)).isFalse();
            assertThat(policy.corsOrigin(request("null", "a"), false)).isNull();
        }
    }

    @Test
    void whatIsNotAPagePassesEverywhere() {
        for (OriginPolicy policy : List.of(SAME, OriginPolicy.any(), OriginPolicy.exactly(List.of("http://a")))) {
            assertThat(policy.allows(request(null, "a"), false)).isTrue();
            assertThat(policy.corsOrigin(request(null, "a"), false)).isNull();
        }
    }

    @Test
    void twoOriginsPassNowhere() {
        HttpRequest request = parsed("Host: a\r\nOrigin: http://a\r\nOrigin: http://a\r\n");

        assertThat(SAME.allows(request, false)).isFalse();
        assertThat(OriginPolicy.any().allows(request, false)).isFalse();
    }

    @Test
    void listedOriginsPassAndNoOthers() {
        OriginPolicy policy = OriginPolicy.exactly(List.of("https://App.example", "http://b:8080"));

        assertThat(policy.allows(request("https://app.example", "a"), false)).isTrue();
        assertThat(policy.allows(request("https://app.example:443", "a"), false))
                .isTrue();
        assertThat(policy.allows(request("http://b:8080", "a"), true)).isTrue();
        assertThat(policy.allows(request("http://app.example", "a"), false)).isFalse();
        assertThat(policy.allows(request("http://b", "a"), false)).isFalse();
        assertThat(policy.allows(request("http://a", "a"), false)).isFalse();
        assertThat(OriginPolicy.exactly(List.of("chrome-extension://abc"))
                        .allows(request("chrome-extension://abc", "a"), false))
                .isTrue();
        assertThat(policy.corsOrigin(request("http://b:8080", "a"), false)).isEqualTo("http://b:8080");
        assertThat(policy.corsOrigin(request("http://b", "a"), false)).isNull();
    }

    @Test
    void anyOriginIsAnsweredWithTheAsterisk() {
        assertThat(OriginPolicy.any().corsOrigin(request("http://x", "a"), false))
                .isEqualTo("*");
    }

    @Test
    void whatIsNoOriginCannotBeListed() {
        for (String text : List.of("null", "*", "a", "http://", "http://a/", "http://a b", "://a")) {
            assertThatThrownBy(() -> OriginPolicy.exactly(List.of(text)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(text);
        }
    }

    private static HttpRequest request(@Nullable String origin, String host) {
        return parsed("Host: " + host + "\r\n" + (origin == null ? "" : "Origin: " + origin + "\r\n"));
    }

    private static HttpRequest parsed(String fields) {
        String head = "GET / HTTP/1.1\r\n" + fields + "\r\n";
        return ((ParseResult.Head) new HttpRequestParser().parse(Bytes.latin1(head))).request();
    }
}
