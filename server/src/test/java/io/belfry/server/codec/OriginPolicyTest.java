package io.belfry.server.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OriginPolicyTest {
    private static final OriginPolicy SAME = OriginPolicy.sameOrigin();

    @Test
    void aPageOfThisServerIsAllowed() {
        assertThat(SAME.allows(request("http://a:8800", "a:8800"), false)).isTrue();
        assertThat(SAME.allows(request("http://A.example", "a.EXAMPLE:80"), false))
                .isTrue();
        assertThat(SAME.allows(request("https://a", "a:443"), true)).isTrue();
        assertThat(SAME.allows(request("http://[::1]:8800", "[::1]:8800"), false))
                .isTrue();
    }

    @Test
    void aPageWithAnotherSchemeHostOrPortIsNotAllowed() {
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
    void theOriginNullIsAllowedOnlyWithTheAsterisk() {
        for (OriginPolicy policy :
                List.of(SAME, OriginPolicy.of(List.of("web")), OriginPolicy.exactly(List.of("http://a")))) {
            assertThat(policy.allows(request("null", "a"), false)).isFalse();
            assertThat(policy.corsOrigin(request("null", "a"), false)).isNull();
        }
    }

    @Test
    void theAsteriskAllowsNullFilesAndBareAddresses() {
        OriginPolicy any = OriginPolicy.of(List.of("https://b", "*"));
        for (String origin : List.of(
                "null", "file://", "127.0.0.1", "localhost:8800", "http://", "*", "chrome-extension://abc", "")) {
            assertThat(any.allows(request(origin, "a"), false)).as(origin).isTrue();
            assertThat(any.names(request(origin, "a"))).as(origin).isTrue();
            assertThat(any.corsOrigin(request(origin, "a"), false))
                    .as("not the origin itself: %s", origin)
                    .isEqualTo("*");
        }
        assertThat(any.isSameForAll()).isTrue();
    }

    @Test
    void webAllowsHttpHttpsAndListedOrigins() {
        OriginPolicy web = OriginPolicy.of(List.of("web", "chrome-extension://abc"));
        for (String origin : List.of("http://x", "HTTPS://y.example:8443", "chrome-extension://abc")) {
            assertThat(web.allows(request(origin, "a"), false)).as(origin).isTrue();
            assertThat(web.corsOrigin(request(origin, "a"), false)).isEqualTo(origin);
        }
        for (String origin :
                List.of("file://", "127.0.0.1", "http://", "*", "web", "chrome-extension://abd", "ftp://a")) {
            assertThat(web.allows(request(origin, "a"), false)).as(origin).isFalse();
            assertThat(web.corsOrigin(request(origin, "a"), false)).as(origin).isNull();
        }
        assertThat(web.isSameForAll()).isFalse();
    }

    @Test
    void noValueAllowsOnlyTheServersOrigin() {
        OriginPolicy none = OriginPolicy.of(List.of());

        assertThat(none.allows(request("http://a", "a"), false)).isTrue();
        assertThat(none.allows(request("http://b", "a"), false)).isFalse();
    }

    @Test
    void aRequestWithoutAnOriginIsAlwaysAllowed() {
        for (OriginPolicy policy : List.of(SAME, OriginPolicy.any(), OriginPolicy.exactly(List.of("http://a")))) {
            assertThat(policy.allows(request(null, "a"), false)).isTrue();
            assertThat(policy.corsOrigin(request(null, "a"), false)).isNull();
        }
    }

    @Test
    void twoOriginsAreNeverAllowed() {
        HttpRequest request = parsed("Host: a\r\nOrigin: http://a\r\nOrigin: http://a\r\n");

        assertThat(SAME.allows(request, false)).isFalse();
        assertThat(OriginPolicy.any().allows(request, false)).isFalse();
    }

    @Test
    void onlyListedOriginsAreAllowed() {
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
    void withTheAsteriskTheCorsOriginIsTheAsterisk() {
        assertThat(OriginPolicy.any().corsOrigin(request("http://x", "a"), false))
                .isEqualTo("*");
    }

    @Test
    void aListWithAnInvalidOriginIsRefused() {
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
