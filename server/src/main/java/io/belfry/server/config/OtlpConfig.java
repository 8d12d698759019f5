package io.belfry.server.config;

import io.belfry.settings.InvalidSetting;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Settings of the export of metrics and spans to OpenTelemetry. Immutable; its text never contains secrets.
 *
 * @param endpoint base URL of the receiver, without a slash at the end
 * @param headers headers of each export; their values are secrets
 * @param traces whether calls are traced
 * @param traceRatio share of the calls without a traceparent that begin a trace
 * @param spansWaiting maximum number of spans that wait for their export
 */
public record OtlpConfig(
        URI endpoint,
        long intervalMillis,
        Map<String, String> headers,
        boolean traces,
        double traceRatio,
        int spansWaiting) {
    private static final String ENDPOINT = ConfigKey.OTLP_ENDPOINT.keyName();

    /** RFC 9110: the characters of a field name. */
    private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

    private static final Pattern HEADER_VALUE = Pattern.compile("[\\x20-\\x7e]+");
    private static final Pattern RATIO = Pattern.compile("0|1|1\\.0{1,9}|0?\\.[0-9]{1,9}");

    /** Headers that the exporter or its HTTP client sets. */
    private static final Set<String> OWN_HEADERS =
            Set.of("host", "connection", "content-length", "content-type", "expect", "upgrade", "transfer-encoding");

    public OtlpConfig {
        headers = Map.copyOf(headers);
        headers.forEach(OtlpConfig::requireHeader);
    }

    private static void requireHeader(String name, String value) {
        String key = "Otlp.headers." + name;
        if (!HEADER_NAME.matcher(name).matches()) {
            throw new InvalidSetting(key, "is not a name of an HTTP header");
        }
        if (OWN_HEADERS.contains(name.toLowerCase(Locale.ROOT))) {
            throw new InvalidSetting(key, "is set by the server itself; remove it");
        }
        if (!HEADER_VALUE.matcher(value).matches()) {
            throw new InvalidSetting(key, "must be printable ASCII");
        }
    }

    /** Parses a base URL, or throws with the rule that it breaks. */
    static URI endpoint(String text) {
        URI uri;
        try {
            uri = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
        } catch (URISyntaxException invalid) {
            throw new InvalidSetting(ENDPOINT, "must be a URL such as http://127.0.0.1:4318");
        }
        if (uri.getRawUserInfo() != null) {
            throw new InvalidSetting(ENDPOINT, "must not contain a name or password; use Otlp.headers.authorization");
        }
        boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
        InvalidSetting.unless(
                http && uri.getHost() != null && uri.getPort() <= 65535 && uri.getPort() != 0,
                ENDPOINT,
                text,
                "must be a URL such as http://127.0.0.1:4318");
        InvalidSetting.unless(
                uri.getRawQuery() == null && uri.getRawFragment() == null,
                ENDPOINT,
                text,
                "must be a base URL without ? and #; the server appends /v1/metrics and /v1/traces");
        return uri;
    }

    /** Parses a ratio, or throws with the rule that it breaks. */
    static double ratio(String text) {
        InvalidSetting.unless(
                RATIO.matcher(text).matches(),
                ConfigKey.OTLP_TRACE_RATIO.keyName(),
                text,
                "must be a number from 0 to 1, such as 0.01");
        return Double.parseDouble(text);
    }

    /** Returns the URL of a signal, such as {@code metrics}. */
    public URI urlOf(String signal) {
        return URI.create(endpoint + "/v1/" + signal);
    }

    @Override
    public String toString() {
        return "OtlpConfig[endpoint=" + endpoint + ", intervalMillis=" + intervalMillis + ", headers="
                + headers.keySet() + ", traces=" + traces + ", traceRatio=" + traceRatio + ", spansWaiting="
                + spansWaiting + "]";
    }
}
