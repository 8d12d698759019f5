package io.belfry.server.tls;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** One block of a PEM file (RFC 7468). Immutable. */
record PemBlock(String label, String base64) {
    private static final Pattern FORM = Pattern.compile(
            "-----BEGIN ([A-Z0-9 ]+)-----([^-]*+(?:-(?!----)[^-]*+)*+)-----END \\1-----", Pattern.DOTALL);

    /** Headers before the base64, as OpenSSL's old way of encrypting keys has them. */
    private static final String OLD_ENCRYPTION = "Proc-Type:";

    /** All blocks in their order; text around them is nobody's business. */
    static List<PemBlock> in(byte[] file) {
        return FORM.matcher(new String(file, StandardCharsets.ISO_8859_1))
                .results()
                .map(found -> new PemBlock(found.group(1), found.group(2)))
                .toList();
    }

    byte[] der() throws TlsException {
        if (base64.contains(OLD_ENCRYPTION)) {
            throw new TlsException(
                    "is encrypted in OpenSSL's old form; 'openssl pkcs8 -topk8 -in OLD -out NEW' makes PKCS #8 of it");
        }
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException notBase64) {
            throw new TlsException("is damaged", notBase64);
        }
    }
}
