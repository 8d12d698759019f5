package io.belfry.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class OtlpConfigTest {
    private static OtlpConfig load(String... sets) {
        return ConfigLoader.load(Optional.empty(), Map.of(), List.of(sets))
                .otlp()
                .orElseThrow();
    }

    private static void isRefused(String rule, String... sets) {
        assertThatThrownBy(() -> load(sets)).as(Arrays.toString(sets)).hasMessageContaining(rule);
    }

    @Test
    void withoutAnEndpointNothingIsExported() {
        assertThat(ServerConfig.defaults().otlp()).isEmpty();
    }

    @Test
    void signalsAreBelowTheEndpoint() {
        for (String endpoint : List.of("https://collector.example/base", "https://collector.example/base/")) {
            assertThat(load("Otlp.Endpoint=" + endpoint).urlOf("traces"))
                    .hasToString("https://collector.example/base/v1/traces");
        }
        OtlpConfig defaults = load("Otlp.Endpoint=http://[::1]:4318");
        assertThat(defaults.urlOf("metrics")).hasToString("http://[::1]:4318/v1/metrics");
        assertThat(defaults.intervalMillis()).isEqualTo(60_000);
        assertThat(defaults.traces()).isTrue();
        assertThat(defaults.traceRatio()).isZero();
    }

    @Test
    void anEndpointThatIsNoBaseUrlIsRefused() {
        for (String endpoint :
                List.of("collector:4318", "ftp://a", "http://", "http:///x", "http://a b", "/v1", "http://a:0")) {
            isRefused("must be a URL such as http://127.0.0.1:4318", "Otlp.Endpoint=" + endpoint);
        }
        isRefused("without ? and #", "Otlp.Endpoint=http://a/?token=x");
        isRefused("use Otlp.headers.authorization", "Otlp.Endpoint=http://me:secret@a");
    }

    @Test
    void aRatioIsFromZeroToOne() {
        for (String ratio : List.of("0", "1", "1.0", "0.25", ".5", "0.000000001")) {
            assertThat(load("Otlp.Endpoint=http://a", "Otlp.TraceRatio=" + ratio)
                            .traceRatio())
                    .isEqualTo(Double.parseDouble(ratio));
        }
        for (String ratio : List.of("-0.1", "1.1", "2", "NaN", "1e-3", "10%", "0x1")) {
            isRefused("must be a number from 0 to 1", "Otlp.Endpoint=http://a", "Otlp.TraceRatio=" + ratio);
        }
    }

    @Test
    void headersAreSecretAndCannotBeThoseOfTheServer() {
        OtlpConfig config = load("Otlp.Endpoint=http://a", "Otlp.headers.authorization=Bearer hidden");
        assertThat(config.headers()).containsExactly(Map.entry("authorization", "Bearer hidden"));
        assertThat(config.toString()).contains("authorization").doesNotContain("hidden");
        isRefused("is set by the server itself", "Otlp.Endpoint=http://a", "Otlp.headers.Content-Length=1");
        isRefused("is not a name of an HTTP header", "Otlp.Endpoint=http://a", "Otlp.headers.a b=1");
        assertThatThrownBy(() -> load("Otlp.Endpoint=http://a", "Otlp.headers.authorization=hidden\u00e9"))
                .hasMessageContaining("must be printable ASCII")
                .hasMessageNotContaining("hidden\u00e9");
        isRefused("must be printable ASCII", "Otlp.Endpoint=http://a", "Otlp.headers.a=\u00e9");
    }

    @Test
    void anIntervalHasBounds() {
        isRefused("Otlp.Interval", "Otlp.Endpoint=http://a", "Otlp.Interval=10 ms");
        isRefused("Otlp.SpansWaiting", "Otlp.Endpoint=http://a", "Otlp.SpansWaiting=0");
    }
}
