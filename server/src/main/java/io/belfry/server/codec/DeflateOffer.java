package io.belfry.server.codec;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Negotiates compression: selects permessage-deflate (RFC 7692, section 7.1) from the offers in
 * Sec-WebSocket-Extensions, without context takeover on either side. Pure.
 */
final class DeflateOffer {
    private static final String NAME = "permessage-deflate";
    private static final String TAKEN = NAME + "; server_no_context_takeover; client_no_context_takeover";
    private static final String SERVER_WINDOW = "server_max_window_bits";
    private static final String LARGEST_WINDOW = "15";

    private DeflateOffer() {}

    /**
     * Returns the server's answer to the first acceptable offer; null if no offer is acceptable. Malformed offers are
     * skipped.
     */
    static @Nullable String answerTo(@Nullable String offers) {
        if (offers != null) {
            for (String offer : offers.split(",", -1)) {
                String answer = answerToOne(offer.split(";", -1));
                if (answer != null) {
                    return answer;
                }
            }
        }
        return null;
    }

    private static @Nullable String answerToOne(String[] parts) {
        if (!parts[0].strip().equals(NAME)) {
            return null;
        }
        Set<String> names = new HashSet<>();
        for (int i = 1; i < parts.length; i++) {
            int sign = parts[i].indexOf('=');
            String name =
                    parts[i].substring(0, sign < 0 ? parts[i].length() : sign).strip();
            String value =
                    sign < 0 ? null : unquoted(parts[i].substring(sign + 1).strip());
            if (!names.add(name) || !isTakeable(name, value)) {
                return null;
            }
        }
        return names.contains(SERVER_WINDOW) ? TAKEN + "; " + SERVER_WINDOW + "=" + LARGEST_WINDOW : TAKEN;
    }

    private static boolean isTakeable(String name, @Nullable String value) {
        return switch (name) {
            case "server_no_context_takeover", "client_no_context_takeover" -> value == null;
            // The JDK's compressor supports only the largest window.
            case SERVER_WINDOW -> LARGEST_WINDOW.equals(value);
            case "client_max_window_bits" -> value == null || isWindow(value);
            default -> false;
        };
    }

    private static boolean isWindow(String value) {
        return switch (value) {
            case "8", "9", "10", "11", "12", "13", "14", LARGEST_WINDOW -> true;
            default -> false;
        };
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
